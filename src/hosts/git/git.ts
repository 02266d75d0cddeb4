import { execFileSync, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { SallyportError } from '../../errors/errors.ts'

/** Where git runs, and its environment: a hook's names the index that is to be committed. */
export interface GitPlace {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const failed = (detail: string): SallyportError => new SallyportError('SP_USAGE', { detail, command: 'install' })

/** Folder of the hooks of the repository at a place, absolute; `core.hooksPath` counts. @throws SallyportError SP_USAGE */
export const hooksFolder = ({ cwd, env }: GitPlace): string => {
  try {
    const path = execFileSync('git', ['rev-parse', '--git-path', 'hooks'], {
      cwd,
      env: { ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return resolve(cwd, path.replace(/\n$/, ''))
  } catch {
    throw failed(`${cwd} is not in a git repository, or git cannot be started.`)
  }
}

/**
 * Overrides every setting that changes the form of a diff (colours, prefixes, programs, context, text conversion), and
 * attributes of the repository that mark a file as binary, with which a change could hide itself.
 */
const DIFF = [
  '-c',
  'core.quotePath=false',
  'diff',
  '--cached',
  '--unified=0',
  '--inter-hunk-context=0',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--text',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--output-indicator-new=+',
  '--output-indicator-old=-',
  '--output-indicator-context= ',
  '--ignore-submodules',
  '--find-renames',
  '--diff-filter=d',
] as const

/** What is staged, as the lines of a diff without context. @throws SallyportError SP_USAGE when git fails */
export const stagedDiff = async function* ({ cwd, env }: GitPlace): AsyncGenerator<string> {
  const git = spawn('git', DIFF, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = new Promise<number | null>((resolveCode) => {
    git.on('error', () => {
      resolveCode(null)
    })
    git.on('close', resolveCode)
  })
  let rest = ''
  git.stdout.setEncoding('utf8')
  for await (const chunk of git.stdout as AsyncIterable<string>) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
  if ((await ended) !== 0) throw failed('git could not list the staged changes.')
}
