import { execFileSync, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { SallyportError } from '../../errors/errors.ts'

/** Where git is asked, and with what environment: that of a hook says which index is to be committed. */
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
 * Against every setting that gives a diff another form: colours, prefixes, programs, context, text conversion; and
 * against attributes of the repository that call a file binary, which what is to be hidden could bring along.
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
