import { execFileSync } from 'node:child_process'
import { readTexts } from '../evidence/slices.ts'

/** A commit of this project, with what its programs print. */
export interface Commit {
  readonly subject: string
  /** As `git show --stat` prints it. */
  readonly shown: string
  /** One of its files, and its content then. */
  readonly path: string
  readonly content: string
}

/** Texts that a session meets. */
export interface Sources {
  readonly commits: readonly Commit[]
  readonly code: readonly string[]
  readonly docs: readonly string[]
  readonly issues: readonly string[]
  readonly mails: readonly string[]
  /** Texts that contain orders, which nobody follows. */
  readonly hostile: readonly string[]
}

const LONGEST = 12_000
const MOST_COMMITS = 40

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', maxBuffer: 64 << 20 })

const commitOf = (line: string): Commit | undefined => {
  const [hash = '', subject = ''] = line.split('\t')
  const files = git('show', '--format=', '--name-only', '--diff-filter=AM', hash).split('\n').filter(Boolean)
  const path = files.find((file) => /\.(?:ts|md)$/.test(file))
  if (path === undefined) return undefined
  return {
    subject,
    shown: git('show', '--stat', hash).slice(0, LONGEST),
    path,
    content: git('show', `${hash}:./${git('rev-parse', '--show-cdup').trim()}${path}`).slice(0, LONGEST),
  }
}

/** Every n-th, so that a set is seen in its breadth. */
const spread = (texts: readonly string[], most: number): readonly string[] => {
  const step = Math.max(1, Math.floor(texts.length / most))
  return texts.filter((_, at) => at % step === 0).slice(0, most)
}

const textsOf = (name: string, label: 'benign' | 'attack', most: number): readonly string[] =>
  spread(
    readTexts(name)
      .filter((row) => row.label === label)
      .map(({ text }) => text.slice(0, LONGEST)),
    most,
  )

/** Reads all of it; lists are empty where the shared data is not there. */
export const readSources = (): Sources => ({
  commits: git('log', '--no-merges', `--max-count=${MOST_COMMITS}`, '--format=%H%x09%s')
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => commitOf(line) ?? []),
  code: textsOf('benign_code', 'benign', 200),
  docs: textsOf('benign_docs', 'benign', 400),
  issues: textsOf('benign_issue_text', 'benign', 400),
  mails: textsOf('pi_bipia_train', 'benign', 200),
  hostile: [...textsOf('pi_asb_opi', 'attack', 60), ...textsOf('pi_bipia_train', 'attack', 60)],
})
