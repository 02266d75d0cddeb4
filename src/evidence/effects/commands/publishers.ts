import { visible } from '../values/field.ts'
import { emitByWords } from './any-program.ts'
import type { CommandRow, Example } from '../engine/call.ts'
import { words } from '../values/words.ts'

/** Release tools, and the words with which they publish something for everyone. */
interface PublisherRow {
  readonly names: readonly string[]
  readonly when: RegExp
  readonly examples: readonly Example[]
}

const TRIAL = /(?:^|\s)(?:--dry-run|--dryRun|-n|--snapshot|--no-push|--skip=publish|--help|-h)(?:\s|$)/

const ROWS: readonly PublisherRow[] = [
  {
    names: ['mvn', 'mvnw'],
    when: /(?:^|\s)(?:deploy|release:perform|deploy:deploy(?:-file)?)(?:\s|$)/,
    examples: [['mvn deploy', 'package.publish'], ['mvn -q test']],
  },
  {
    names: ['gradle', 'gradlew', 'sbt'],
    when: /(?:^|[\s:])(?:publish(?!ToMavenLocal|Local)\w*|uploadArchives)(?:\s|$)/,
    examples: [['gradle publish', 'package.publish'], ['gradle build'], ['gradle publishToMavenLocal']],
  },
  {
    names: ['dotnet'],
    when: /^nuget push\b/,
    examples: [
      ['dotnet nuget push x.nupkg', 'package.publish'],
      ['dotnet ef database drop -f', 'cloud.destroy+all'],
      ['dotnet ef database update'],
      ['dotnet build'],
    ],
  },
  {
    names: words('vsce ovsx flit jsr np release-it semantic-release changeset nx goreleaser lerna'),
    when: /^(?:publish|release publish|release)\b/,
    examples: [
      ['vsce publish', 'package.publish'],
      ['vsce package'],
      ['goreleaser release', 'package.publish'],
      ['goreleaser release --snapshot --clean'],
      ['lerna publish', 'package.publish'],
    ],
  },
  {
    names: ['pod'],
    when: /^trunk push\b/,
    examples: [['pod trunk push A.podspec', 'package.publish'], ['pod install']],
  },
]

/** Tools that publish whenever they run. */
const BARE = /^(?:np|release-it|semantic-release)$/

/** Programs that publish packages and releases, besides the package managers. */
export const PUBLISHER_COMMANDS: readonly CommandRow[] = ROWS.map((row) => ({
  names: row.names,
  run: (call) => {
    const line = call.args.map(visible).join(' ')
    if (TRIAL.test(line) || !(row.when.test(line) || (BARE.test(call.name) && !/^(?:--version|-v)$/.test(line))))
      return emitByWords(call)
    call.emit('package.publish', [{ type: 'resource', name: `${call.name} ${line}`.trim().slice(0, 60) }])
    return undefined
  },
  examples: row.examples,
}))
