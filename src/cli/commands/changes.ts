import { existsSync, renameSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { readArguments } from '../io/arguments.ts'
import { openChangeReview } from '../../assembly/integrity/accept-files.ts'
import type { ChangeReview } from '../../assembly/integrity/accept-files.ts'
import { dataFiles, dataFolder } from '../../config/data-folder.ts'
import { configLocations } from '../../config/locations.ts'
import { SallyportError } from '../../errors/errors.ts'
import { modeOf, writeAtomically } from '../../hosts/setup/text-file.ts'
import type { Change } from '../../integrity/watched.ts'
import { settingsChanges } from '../../hosts/claude-code/setup/settings-changes.ts'
import { NO_SIGNED_ACTS } from '../../record/signatures/signed-acts.ts'
import type { Command, ExitCode, Io } from '../io/io.ts'
import { refuseAgents } from '../signing/approval-records.ts'
import { visible } from '../views/trace-view.ts'

const USAGE = `Usage: sallyport changes [ls] [--json]
       sallyport changes accept [FILE…]
       sallyport changes revert [FILE…]

Changes of files that the guard depends on (settings of hosts, policies, its program), made without a sallyport command or
a signature. Until a change is accepted or reverted, no step runs in the affected sessions.

  ls          show the changes; exit code 1 when there are any
  accept      accept them, after a prompt on the terminal. If a key is enrolled, use \`sallyport accept FILE…\`, which signs
  revert      restore the accepted content; the changed file is kept as FILE.sallyport-changed

  --data DIR  the guard's data folder (default: $SALLYPORT_DATA or ~/.local/share/sallyport)
  --json      ls: one JSON value per line

Without FILE, the command applies to all changes.`

const show = (io: Io, change: Change): void => {
  io.out(visible(`${change.path}: ${change.what}`))
  for (const finding of change.findings) io.out(visible(`  ${finding}`))
}

const revert = (io: Io, review: ChangeReview, { path }: Change): boolean => {
  const text = review.acceptedText(path)
  if (text === undefined) {
    io.err(
      visible(
        `sallyport: ${path} cannot be restored: only its hash is stored. Reinstall the package, then accept the change.`,
      ),
    )
    return false
  }
  const mode = modeOf(path)
  const aside = `${path}.sallyport-changed`
  if (mode !== null) renameSync(path, aside)
  if (text !== null) writeAtomically(path, text, mode ?? 0o600)
  io.out(visible(`${path}: restored${mode === null ? '' : `; the changed file is ${aside}`}`))
  return true
}

const confirmed = async (io: Io): Promise<boolean> => {
  if (io.ask === undefined) throw new SallyportError('SP_ACCEPT_TERMINAL')
  return (await io.ask('Are these changes yours? Type "yes" to accept them: ')).trim() === 'yes'
}

const options = { data: { type: 'string' }, json: { type: 'boolean', default: false } } as const

const chosen = (io: Io, all: readonly Change[], files: readonly string[]): readonly Change[] => {
  if (files.length === 0) return all
  return files.map((file) => {
    const path = resolve(io.cwd, file)
    const change = all.find((one) => one.path === path)
    if (change === undefined)
      throw new SallyportError('SP_USAGE', { detail: `${path} has no open change.`, command: 'changes' })
    return change
  })
}

const list = (io: Io, changes: readonly Change[], json: boolean): ExitCode => {
  for (const change of changes)
    if (json) io.out(JSON.stringify(change))
    else show(io, change)
  if (changes.length === 0 && !json) io.out('There are no open changes.')
  return changes.length === 0 ? 0 : 1
}

/** Changes that a signature can accept: files by their content. */
const signable = (data: string, { path }: Change): boolean =>
  path !== process.execPath && path !== dataFiles(data).accepted

const accept = async (io: Io, review: ChangeReview, data: string, changes: readonly Change[]): Promise<ExitCode> => {
  refuseAgents(io.env)
  list(io, changes, false)
  if (changes.length === 0) return 0
  const signed = existsSync(dataFiles(data).keys) ? changes.filter((one) => signable(data, one)) : []
  if (signed.length > 0) {
    const files = signed.flatMap((one) => one.files.map((file) => `'${file}'`)).join(' ')
    io.err(visible(`sallyport: a key is enrolled, so accept these with a signature: sallyport accept ${files}`))
    return 1
  }
  if (!(await confirmed(io))) {
    io.out('Nothing was accepted.')
    return 1
  }
  for (const { path } of changes) review.accept(path)
  io.out('Accepted. Blocked sessions continue with their next step.')
  return 0
}

const run = async (args: readonly string[], io: Io): Promise<ExitCode> => {
  const { values, positionals } = readArguments(args, options)
  const [action = 'ls', ...files] = positionals
  const data = resolve(io.cwd, dataFolder(values.data, io.env, io.home))
  if (!existsSync(dataFiles(data).accepted))
    throw new SallyportError('SP_STORE_MISSING', { path: dataFiles(data).accepted })
  const locations = configLocations(io.env, io.home, process.platform)
  const review = openChangeReview(data, locations, { now: Date.now, signed: NO_SIGNED_ACTS, judge: settingsChanges })
  try {
    const changes = chosen(io, review.open(), files)
    switch (action) {
      case 'ls':
        return list(io, changes, values.json)
      case 'accept':
        return await accept(io, review, data, changes)
      case 'revert':
        return changes.map((change) => revert(io, review, change)).every(Boolean) ? 0 : 1
      default:
        throw new SallyportError('SP_USAGE', { detail: `changes has no action "${action}".`, command: 'changes' })
    }
  } finally {
    review.close()
  }
}

/** `sallyport changes`. */
export const changes: Command = {
  name: 'changes',
  summary: 'show, accept and revert changes of files that the guard depends on',
  usage: USAGE,
  run,
}
