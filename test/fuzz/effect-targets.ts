import fc from 'fast-check'
import { singleQuoted } from '../../src/protocol/shell-word.ts'
import { DEFAULT_EFFECT_BUDGET } from '../../src/evidence/effects/engine/analysis.ts'
import type { EffectAnalysis } from '../../src/evidence/effects/engine/analysis.ts'
import { analyseEffects } from '../../src/evidence/effects/analyse-effects.ts'
import { callOf, GUARD, WORLD } from '../../src/evidence/effects/fixture.ts'
import { readSql } from '../../src/evidence/effects/sql/read-sql.ts'
import type { ParseSql } from '../../src/evidence/effects/sql/sql-act.ts'
import { readTokens } from '../../src/evidence/effects/sql/tokens.ts'
import { judgeTool } from '../../src/evidence/effects/tools/tool-class.ts'
import { SIDE_EFFECT_CLASSES } from '../../src/protocol/evidence.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { BRANCHING } from '../support/branching.ts'
import { hostileTexts } from './hostile-texts.ts'
import { holds, isSame, liesIn, tells } from './laws.ts'
import { CODE, NAMES, SHELL, SQL, TOOLS, URLS, WINDOWS } from './pieces.ts'
import { target } from './target.ts'
import type { Target } from './target.ts'

const OPTIONS = { world: WORLD, guard: GUARD, budget: DEFAULT_EFFECT_BUDGET }

const analyse = (tool: string, command: string): EffectAnalysis => analyseEffects(callOf(tool, { command }), OPTIONS)

const reads = (tool: string, command: string): void =>
  tells(command, '/input/command', isSame(analyse(tool, command), analyse(tool, command)))

/** Programs whose argument is code, and how each language quotes nothing of it. */
const INLINE: Readonly<Record<string, string>> = {
  python: 'python3 -c',
  javascript: 'node -e',
  perl: 'perl -e',
  ruby: 'ruby -e',
  php: 'php -r',
  lua: 'lua -e',
  awk: 'awk',
  sed: 'sed',
}

/** Commands whose parts multiply, two of them one behind the other and more than an analysis follows. */
const branching: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...BRANCHING), fc.constantFrom(...BRANCHING), fc.nat(8), fc.nat(8))
  .map(([one, other, parts, more]) => `${one.command(parts + 1)}\n${other.command(more + 1)}`)

const commandTargets: readonly Target[] = [
  target('branching', branching, (command) => reads('Bash', command), { slow: true }),
  target('shell', hostileTexts(SHELL), (command) => reads('Bash', command)),
  target('powershell', hostileTexts(WINDOWS), (command) => reads('PowerShell', command)),
  target('cmd', hostileTexts(WINDOWS), (command) => reads('Bash', `cmd.exe /c ${singleQuoted(command)}`)),
  ...Object.entries(INLINE).map(([language, program]) =>
    target(language, hostileTexts(CODE), (code) => reads('Bash', `${program} ${singleQuoted(code)}`)),
  ),
]

/** Acts lie in the text, those of the parser and those of the tokens. */
const sqlTarget = (name: string, parse?: ParseSql): Target =>
  target(name, hostileTexts(SQL), (text) => {
    for (const act of isSame(readSql(text, parse), readSql(text, parse))) liesIn(text, act, 0)
  })

const sqlTargets = (parse: ParseSql): readonly Target[] => [
  sqlTarget('sql-parsed', parse),
  sqlTarget('sql-fallback'),
  target('sql-tokens', hostileTexts(SQL), (text) => {
    let from = 0
    for (const token of readTokens(text)) {
      liesIn(text, token)
      holds('tokens are in order and apart', token.start >= from, token)
      from = token.end
    }
  }),
]

const toolTargets: readonly Target[] = [
  target(
    'tool-class',
    fc.record({ name: hostileTexts(TOOLS), server: hostileTexts(TOOLS), description: hostileTexts(TOOLS) }),
    ({ name, server, description }) => {
      const definition = {
        description,
        annotations: { readOnlyHint: description.length % 2 === 0, [server]: name },
        inputSchema: { properties: { [name]: { description: server } } },
      }
      const judge = () => judgeTool({ name, server, definition }, new Map([[`${server}*`, 'read_only']]))
      const { sideEffect } = isSame(judge(), judge())
      holds('a class is a known class', SIDE_EFFECT_CLASSES.includes(sideEffect), sideEffect)
    },
  ),
  target(
    'any-tool',
    fc.record({
      name: hostileTexts(TOOLS),
      server: fc.option(hostileTexts(TOOLS), { nil: undefined }),
      members: fc.array(fc.tuple(hostileTexts(TOOLS), hostileTexts([...NAMES, ...URLS, ...SQL, ...SHELL])), {
        maxLength: 4,
      }),
    }),
    ({ name, server, members }) => {
      const input: JsonObject = {
        ...Object.fromEntries(members),
        url: members[0]?.[1] ?? null,
        more: [members[1]?.[1] ?? 1],
      }
      const call = callOf(name, input, server)
      const { sideEffect } = isSame(analyseEffects(call, OPTIONS), analyseEffects(call, OPTIONS))
      holds('every tool has a class', sideEffect !== undefined)
    },
    { slow: true },
  ),
]

/** What would be done: commands, code, SQL, and calls of tools. */
export const createEffectTargets = (parse: ParseSql): readonly Target[] => [
  ...commandTargets,
  ...sqlTargets(parse),
  ...toolTargets,
]
