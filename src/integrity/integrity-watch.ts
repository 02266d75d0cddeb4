import type { AcceptedState, AcceptedStates } from './accepted-states.ts'
import type { ContentReader } from './content.ts'
import { folderChanges } from './folder-changes.ts'
import type { Change, Content, Watched } from './watched.ts'

/** What happened to a watched file. */
export type IntegrityEvent =
  | { readonly event: 'changed'; readonly change: Change }
  /** The change is no longer open: it was reverted, or a person accepted it. */
  | { readonly event: 'settled'; readonly path: string; readonly how: 'reverted' | 'accepted' }

/** Options of a watch. */
export interface IntegrityParts {
  readonly states: AcceptedStates
  readonly reader: ContentReader
  /** Whether a person has signed the state of a file. */
  readonly isSigned: (file: { readonly path: string; readonly sha256: string | null }) => boolean
  /** Whether only a signature accepts: then a state that another process has written down does not count by itself. */
  readonly mustSign: () => boolean
  readonly report: (event: IntegrityEvent) => void
}

/** Compares files with what was accepted. */
export interface IntegrityWatch {
  /** The open change of a file; its status is checked again, its content only after a change of that. */
  check(watched: Watched): Change | undefined
  /** Takes what is there for accepted, unless a change of it is open. */
  adopt(watched: Watched): void
  /** How often a person or a command has accepted another state of it. */
  revision(watched: Watched): number
}

const NONE: AcceptedState = Object.freeze({ sha256: null })

/** Whether the content needs a person's acceptance beyond what was accepted. */
const isUnseen = ({ mustBeAccepted }: Watched, accepted: AcceptedState | undefined, now: Content): boolean => {
  if (mustBeAccepted === undefined) return false
  const fresh = mustBeAccepted(now.text)
  if (fresh.length === 0) return false
  const known = new Set(mustBeAccepted(accepted?.text))
  return fresh.some((key) => !known.has(key))
}

interface Judged {
  readonly content: Content
  readonly accepted: AcceptedState
  readonly change: Change | undefined
}

const stateOf = ({ sha256, text }: Content): AcceptedState => ({ sha256, ...(text === undefined ? {} : { text }) })

const differing = ({ path, kind }: Watched, accepted: AcceptedState, now: Content): readonly string[] =>
  kind !== 'folder' ? [path] : folderChanges(accepted.text, now.text).map((one) => `${path}/${one.path}`)

const hashIn = (text: string | undefined, name: string): string | null => {
  const line = (text ?? '').split('\n').find((one) => one.slice(one.indexOf(' ') + 1) === name)
  return line === undefined ? null : line.slice(0, line.indexOf(' '))
}

/** Makes a watch. */
export const createIntegrityWatch = ({
  states,
  reader,
  isSigned,
  mustSign,
  report,
}: IntegrityParts): IntegrityWatch => {
  const judged = new Map<string, Judged>()
  const revisions = new Map<string, number>()

  const remember = (watched: Watched, content: Content, accepted: AcceptedState, change: Change | undefined): void => {
    judged.set(watched.path, { content, accepted, change })
  }

  const settle = (watched: Watched, content: Content, how: 'reverted' | 'accepted'): undefined => {
    if (states.open(watched.path) !== undefined) {
      states.setOpen(watched.path, undefined)
      report({ event: 'settled', path: watched.path, how })
    }
    remember(watched, content, stateOf(content), undefined)
    return undefined
  }

  const accept = (watched: Watched, content: Content): undefined => {
    states.accept(watched.path, stateOf(content))
    revisions.set(watched.path, (revisions.get(watched.path) ?? 0) + 1)
    return settle(watched, content, 'accepted')
  }

  const signed = (watched: Watched, content: Content, files: readonly string[]): boolean =>
    content.fault === undefined &&
    watched.kind !== 'status' &&
    files.length > 0 &&
    files.every((path) =>
      isSigned({
        path,
        sha256: watched.kind === 'file' ? content.sha256 : hashIn(content.text, path.slice(watched.path.length + 1)),
      }),
    )

  const judge = (watched: Watched, content: Content): Change | undefined => {
    const before = judged.get(watched.path)
    const kept = states.accepted(watched.path)
    const isOthers = before !== undefined && kept?.sha256 !== before.accepted.sha256
    // A status is nothing that could be signed.
    let accepted = isOthers && watched.kind !== 'status' && mustSign() ? before.accepted : kept
    if (accepted === undefined && isUnseen(watched, undefined, content)) {
      states.accept(watched.path, NONE)
      accepted = NONE
    }
    if (accepted === undefined) {
      // The first sight of it: there is nothing to compare with.
      states.accept(watched.path, stateOf(content))
      return settle(watched, content, 'reverted')
    }
    if (accepted.sha256 === content.sha256) {
      const isNew = before !== undefined && before.accepted.sha256 !== accepted.sha256
      if (isNew) revisions.set(watched.path, (revisions.get(watched.path) ?? 0) + 1)
      return settle(watched, content, isNew ? 'accepted' : 'reverted')
    }
    const files = differing(watched, accepted, content)
    if (signed(watched, content, files)) return accept(watched, content)
    const findings =
      content.fault === undefined ? watched.judge(accepted.text, content.text) : [`it cannot be read: ${content.fault}`]
    if (findings.length === 0) {
      // Changes that do not concern the guard are accepted, so that reverting a later change keeps them.
      states.accept(watched.path, stateOf(content))
      return settle(watched, content, 'reverted')
    }
    const change: Change = { path: watched.path, what: watched.what, sha256: content.sha256, findings, files }
    if (before?.change?.sha256 !== content.sha256) {
      states.setOpen(watched.path, change)
      report({ event: 'changed', change })
    }
    remember(watched, content, accepted, change)
    return change
  }

  return Object.freeze<IntegrityWatch>({
    check(watched) {
      const content = reader.read(watched)
      const before = judged.get(watched.path)
      if (before !== undefined && before.change === undefined && before.content === content) return undefined
      return judge(watched, content)
    },
    adopt(watched) {
      const content = reader.read(watched)
      const accepted = states.accepted(watched.path)
      if (states.open(watched.path) !== undefined || isUnseen(watched, accepted, content)) {
        judge(watched, content)
        return
      }
      if (accepted?.sha256 !== content.sha256) states.accept(watched.path, stateOf(content))
      remember(watched, content, stateOf(content), undefined)
    },
    revision: ({ path }) => revisions.get(path) ?? 0,
  })
}
