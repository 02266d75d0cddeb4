/**
 * The act of one SQL statement. `destroy`: irreversible loss of data; `change`: other writes; `privilege`: grants
 * rights or creates users; `read-file`, `write-file`: files of the database's machine; `run`: runs a program there;
 * `code`: loads or runs code there with the powers of a program; `fetch`, `send`: reaches another machine; `hidden`:
 * runs SQL that is composed at run time.
 */
export interface SqlAct {
  readonly act:
    | 'destroy'
    | 'change'
    | 'privilege'
    | 'read-file'
    | 'write-file'
    | 'run'
    | 'code'
    | 'fetch'
    | 'send'
    | 'hidden'
  /** What exactly, in kebab case: `delete-all`, `drop`, `copy-program`, … */
  readonly type: string
  /** The statement, in UTF-16 code units of the text. */
  readonly start: number
  readonly end: number
  /** Path of a file, command of a program, code or its library, or place on the network, where it is literal. */
  readonly subject?: string
  /** Of `code` that is written out. */
  readonly language?: 'python' | 'perl'
}

/** A parsed text in the form of `libpg-query`, or the reason for its absence. */
export type ParsedSql = { readonly tree: unknown } | { readonly error: string }

/** Parses PostgreSQL, at once and without throwing; an error as long as the parser is not loaded. */
export type ParseSql = (text: string) => ParsedSql
