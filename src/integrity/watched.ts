import type { Step } from '../protocol/step.ts'

/** The content at a path. `sha256` is null for a missing file, and `unreadable` where it cannot be read. */
export interface Content {
  readonly sha256: string | null
  /** Text of a file, or the list of a folder's files; absent where there is nothing to read. */
  readonly text?: string
  /** Why it cannot be read. */
  readonly fault?: string
}

/** A file or folder that the guard depends on. */
export interface Watched {
  /** Absolute. */
  readonly path: string
  /** What it is, for people: `settings of Claude Code (user)`. */
  readonly what: string
  /** A folder is compared by the names and contents of the files in it; `status`: a file by its size and times alone. */
  readonly kind: 'file' | 'folder' | 'status'
  /** Of a folder: whether a file or folder in it counts, by its path below the folder. Default: all. */
  readonly includes?: (path: string, isFolder: boolean) => boolean
  /**
   * What counts as accepted. `person`: what a person or a `sallyport` command left there. `session`: what is there when a
   * session begins, unless an earlier change is still open.
   */
  readonly baseline: 'person' | 'session'
  /** What of a change matters, one sentence each; empty for a change that does not concern the guard. */
  readonly judge: (accepted: string | undefined, now: string | undefined) => readonly string[]
  /**
   * The part of a content that is not accepted when a session begins, or at first sight: keys that differ when it
   * differs. Only a person accepts new ones. Default: none.
   */
  readonly mustBeAccepted?: (content: string | undefined) => readonly string[]
}

/** A change that nobody has accepted. */
export interface Change {
  readonly path: string
  readonly what: string
  readonly sha256: string | null
  readonly findings: readonly string[]
  /** Files that differ, absolute; those of a folder one by one. */
  readonly files: readonly string[]
}

/** A session as its host runs it. */
export interface WatchedSession {
  /** Folder that the host was started in, absolute. */
  readonly root: string
  /** Path of the host's conversation file, absolute. */
  readonly transcript?: string
}

/** A settings file with the guard's hooks, with the name of `install`'s note. */
export interface InstalledFile {
  readonly note: string
  readonly path: string
}

/** Programs that a host runs because of a file in the session's folder. */
export interface RepositoryProgram {
  /** Differs when what runs differs. */
  readonly key: string
  readonly description: string
}

/** Knows the files that one host depends on. */
export interface HostWatch {
  /** The host, as steps name it. */
  readonly host: string
  /** Folder that a session was started in, as far as a step shows it. */
  readonly rootOf: (step: Step) => string | undefined
  /** The host's settings that apply to a session. */
  readonly files: (session: WatchedSession, installed: readonly InstalledFile[]) => readonly Watched[]
  /** Called with every step of the host before it is checked. */
  readonly observe?: (step: Step) => void
  /** What the host asks to load anew with a step: its settings, or something beside them; `undefined`: nothing. */
  readonly reloads: (step: Step) => 'settings' | 'other' | undefined
  /** Faults in the settings of a session that begins, for the person. */
  readonly inspect?: (session: WatchedSession, read: (path: string) => string | undefined) => readonly string[]
  /** Programs that the folder of a session that begins makes the host run; each is reported to the person once. */
  readonly brings?: (
    session: WatchedSession,
    read: (path: string) => string | undefined,
  ) => readonly RepositoryProgram[]
}
