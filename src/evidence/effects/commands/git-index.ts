import type { Target } from '../../../protocol/evidence.ts'
import type { Call } from '../engine/call.ts'
import { literal } from '../values/field.ts'
import { parseOptions } from '../values/options.ts'
import { EMPTY, mergeFlow, unknown } from '../values/value.ts'
import type { Git } from './git-config.ts'
import { meetsGuardSecret } from './tree-reads.ts'

/** Represents the files that the command itself has staged. */
export const STAGED = '.git/index'

/** Secrets in the command's own writes to files of the workspace. */
export const writtenSecrets = (call: Call, paths: readonly string[] | undefined): readonly Target[] =>
  [...call.engine.scratch.files].flatMap(([path, content]) =>
    path !== STAGED && (paths === undefined || paths.some((one) => path === one || path.startsWith(`${one}/`)))
      ? content.flow.secrets
      : [],
  )

/** Environment files in the folder, which are only added by force. */
const ignoredSecrets = (call: Call): readonly Target[] =>
  call
    .paths([literal('.env'), literal('.env.local'), literal('.env.production')], 'content')
    .filter(({ path }) => call.engine.paths.world.pathKind(path) === 'file')

export const stage = ({ call, operands, has }: Git): void => {
  const roots = operands.length > 0 ? operands : has('-A', '--all') ? [literal('.')] : []
  if (roots.length > 0 && meetsGuardSecret(call, roots)) call.read(roots, { traits: ['recursive'] })
  const given = call.paths(operands, 'content')
  const everything = has('-A', '--all', '-u', '--update') || given.some(({ zone }) => zone === 'workspace-root')
  const secrets = [
    ...given.filter((path) => path.zone === 'dotenv' || path.zone === 'credential'),
    ...writtenSecrets(call, everything ? undefined : given.map(({ path }) => path)),
    ...(everything && has('-f', '--force') ? ignoredSecrets(call) : []),
  ]
  keep(call, secrets)
}

/** Remembers that the repository contains secrets from now on. */
export const keep = (call: Call, secrets: readonly Target[]): void => {
  const before = call.engine.scratch.files.get(STAGED)?.flow.secrets ?? []
  if (secrets.length > 0)
    call.engine.scratch.files.set(STAGED, unknown({ ...EMPTY.flow, local: true, secrets: [...before, ...secrets] }))
}

/** Secrets in a message, a name or a file that a git command puts into the repository. */
export const keepGiven = ({ call, rest }: Git): void => {
  const files = parseOptions(rest, { values: ['-F', '--file', '-m', '--message'] }).get('-F', '--file')
  const content = files.length > 0 ? call.read(files) : EMPTY
  keep(call, rest.reduce((all, one) => mergeFlow(all, one.flow), content.flow).secrets)
}
