import type { SqlAct } from './sql-act.ts'
import { isUrl } from '../places/hosts.ts'
import type { SqlToken } from './tokens.ts'

/** An act without its place. */
export type Act = Omit<SqlAct, 'start' | 'end'>

/** Makes an act; a subject that is not known is left out. */
export const act = (kind: SqlAct['act'], type: string, subject?: string): Act => ({
  act: kind,
  type,
  ...(subject === undefined ? {} : { subject }),
})

type Reading = (tokens: readonly SqlToken[], at: number) => string | undefined

const isWord = (token: SqlToken | undefined, ...words: readonly string[]): boolean =>
  token?.type === 'word' && words.includes(token.text)

/** A name as a word or in quotes, in lower case. */
const nameOf = (token: SqlToken | undefined): string =>
  token === undefined || token.type === 'sign' || token.type === 'number' ? '' : token.text.toLowerCase()

const SOON = 6

/** The first string soon after a name. */
const first: Reading = (tokens, at) => tokens.slice(at + 1, at + 1 + SOON).find(({ type }) => type === 'string')?.text

/** The last string among a few arguments. */
const last: Reading = (tokens, at) =>
  tokens.slice(at + 1, at + 1 + 2 * SOON).findLast(({ type }) => type === 'string')?.text

/** The value of `@name = 'x'` or `name => 'x'`. */
const named =
  (name: string): Reading =>
  (tokens) => {
    const at = tokens.findIndex((token) => isWord(token, name, `@${name}`))
    return at < 0 ? undefined : tokens.slice(at + 1, at + 5).find(({ type }) => type === 'string')?.text
  }

/** The target of a connection string of `key=value` words. */
const connection: Reading = (tokens, at) => {
  const text = first(tokens, at)
  return text === undefined
    ? undefined
    : (/\bhost(?:addr)?\s*=\s*'?([^\s']+)/i.exec(text)?.[1] ?? (isUrl(text) ? text : undefined))
}

/** Functions and procedures that reach out of the database, with what they reach. */
const CALLS: Readonly<Record<string, readonly [act: SqlAct['act'], type: string, subject?: Reading]>> = {
  pg_read_file: ['read-file', 'read-file'],
  pg_read_binary_file: ['read-file', 'read-file'],
  pg_stat_file: ['read-file', 'read-file'],
  pg_ls_dir: ['read-file', 'read-file'],
  lo_import: ['read-file', 'read-file'],
  load_file: ['read-file', 'read-file'],
  readfile: ['read-file', 'read-file'],
  utl_file: ['read-file', 'read-file'],
  openrowset: ['read-file', 'read-file'],
  xp_dirtree: ['read-file', 'read-file'],
  read_text: ['read-file', 'scan-file'],
  read_blob: ['read-file', 'scan-file'],
  read_csv: ['read-file', 'scan-file'],
  read_csv_auto: ['read-file', 'scan-file'],
  read_json: ['read-file', 'scan-file'],
  read_json_auto: ['read-file', 'scan-file'],
  read_json_objects: ['read-file', 'scan-file'],
  read_ndjson: ['read-file', 'scan-file'],
  read_parquet: ['read-file', 'scan-file'],
  parquet_scan: ['read-file', 'scan-file'],
  sqlite_scan: ['read-file', 'scan-file'],
  lo_export: ['write-file', 'write-file'],
  pg_file_write: ['write-file', 'write-file'],
  pg_write_file: ['write-file', 'write-file'],
  pg_file_unlink: ['write-file', 'write-file'],
  pg_file_rename: ['write-file', 'write-file', last],
  writefile: ['write-file', 'write-file'],
  xp_cmdshell: ['run', 'xp-cmdshell'],
  sp_oamethod: ['run', 'sp-oamethod', last],
  sys_exec: ['run', 'sys-exec'],
  sys_eval: ['run', 'sys-exec'],
  sp_oacreate: ['code', 'sp-oacreate'],
  load_extension: ['code', 'load-extension'],
  xp_regwrite: ['code', 'registry'],
  dblink_exec: ['hidden', 'dblink'],
  dblink: ['send', 'dblink', connection],
  dblink_connect: ['send', 'dblink', connection],
  dblink_connect_u: ['send', 'dblink', connection],
  utl_http: ['send', 'http'],
  httpuritype: ['send', 'http'],
  http_get: ['fetch', 'http'],
  http_post: ['send', 'http'],
  http_put: ['send', 'http'],
  query_export_to_s3: ['send', 'export'],
  pg_terminate_backend: ['change', 'terminate'],
}

/** Whether a step of a job is run by a shell instead of as SQL. */
const runsCommand = (tokens: readonly SqlToken[]): boolean =>
  tokens.some(({ type, text }) => type === 'string' && /^(?:cmdexec|powershell)$/i.test(text))

const DEFINES_IT = ['function', 'procedure', 'table', 'view', 'index']

/** What the functions of a statement reach. */
const callActs = (tokens: readonly SqlToken[]): readonly Act[] =>
  tokens.flatMap((token, at) => {
    const row = token.type === 'word' && Object.hasOwn(CALLS, token.text) ? CALLS[token.text] : undefined
    if (row === undefined || isWord(tokens[at - 1], ...DEFINES_IT)) return []
    const called = /^[(.]/.test(tokens[at + 1]?.text ?? '') || /^(?:xp_|sp_)/.test(token.text)
    if (!called) return []
    const subject = (row[2] ?? first)(tokens, at)
    // A place that is not literal is the database's own, such as a connection by name.
    return (row[0] === 'send' || row[0] === 'fetch') && subject === undefined ? [] : [act(row[0], row[1], subject)]
  })

/** Table functions of ClickHouse, where a table is expected. */
const TABLES: Readonly<Record<string, SqlAct['act']>> = {
  file: 'read-file',
  url: 'fetch',
  s3: 'fetch',
  gcs: 'fetch',
  hdfs: 'fetch',
  remote: 'fetch',
  remotesecure: 'fetch',
  executable: 'run',
}
const GIVEN: Readonly<Partial<Record<SqlAct['act'], SqlAct['act']>>> = { 'read-file': 'write-file', fetch: 'send' }

const tableActs = (tokens: readonly SqlToken[]): readonly Act[] =>
  tokens.flatMap((token, at) => {
    const kind = token.type === 'word' && Object.hasOwn(TABLES, token.text) ? TABLES[token.text] : undefined
    const [before, opens, subject] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]]
    if (kind === undefined || opens?.text !== '(' || subject?.type !== 'string') return []
    if (isWord(before, 'function')) return [act(GIVEN[kind] ?? kind, 'table-function', subject.text)]
    const isTablePlace = isWord(before, 'from', 'join') || before?.text === ',' || before?.text === '='
    return isTablePlace ? [act(kind, kind === 'read-file' ? 'scan-file' : 'table-function', subject.text)] : []
  })

/** A text that a query reads as a file name where a table is expected. */
const FILE_LIKE =
  /^(?:[/~]|\.{1,2}\/|[a-z][\w+.-]*:\/\/)|\.(?:csv|tsv|parquet|json|ndjson|jsonl|gz|zst|xlsx|db|duckdb)$/i
const REMOTE = /^(?:https?|s3a?|gs|gcs|azure|az|abfss?|wasbs?|r2|hf):\/\//i
const EXPORTS = /^(?:copy|unload|export|put)$/

/** Files, programs and places on the network named by the statement's own words. */
const fileActs = (tokens: readonly SqlToken[]): readonly Act[] => {
  const exports = EXPORTS.test(tokens[0]?.text ?? '')
  const foreign = tokens.slice(1, 4).some((token) => isWord(token, 'foreign', 'server'))
  return tokens.flatMap((token, at) => {
    if (token.type === 'string')
      return exports && token.text.startsWith('file://') ? [act('read-file', 'put', token.text.slice(7))] : []
    if (token.type !== 'word') return []
    const next = tokens[at + 1]
    const subject = next?.type === 'string' ? next.text : undefined
    if (token.text === 'outfile' || token.text === 'dumpfile') return [act('write-file', 'into-outfile', subject)]
    if (token.text === 'infile') return [act('read-file', 'load-infile', subject)]
    if (
      token.text === 'program' &&
      ((exports && isWord(tokens[at - 1], 'to', 'from')) || (foreign && subject !== undefined))
    )
      return [act('run', 'copy-program', subject)]
    if (subject === undefined) return token.text === 'uri' && exports ? [act('send', 'export', first(tokens, at))] : []
    if (foreign && token.text === 'filename') return [act('read-file', 'foreign-file', subject)]
    if (exports && (token.text === 'to' || token.text === 'into' || token.text === 'database'))
      return [act('write-file', 'copy-to', subject)]
    if (exports && token.text === 'from') return [act('read-file', 'copy-from', subject)]
    const scans = (token.text === 'from' || token.text === 'join') && FILE_LIKE.test(subject)
    return scans ? [act('read-file', 'scan-file', subject)] : []
  })
}

/** Languages of PostgreSQL in which a function has the powers of a program. */
const UNTRUSTED = /^(?:plpython[23]?u|plpythonu|plperlu|pltclu|plsh|plr|pljavau?|plrubyu?|plphpu|plluau)$/
const CODE_OF: Readonly<Record<string, 'python' | 'perl' | undefined>> = {
  plpython3u: 'python',
  plpython2u: 'python',
  plpythonu: 'python',
  plperlu: 'perl',
}
const LIBRARY = /[/\\]|\.(?:so|dll|dylib|duckdb_extension)$/i

/** A function or a block in a language that is not confined to the database, or from a library. */
const languageActs = (tokens: readonly SqlToken[]): readonly Act[] => {
  const at = tokens.findIndex((token) => isWord(token, 'language'))
  const language = nameOf(tokens[at + 1])
  if (at < 0 || isWord(tokens[0], 'drop', 'grant', 'revoke', 'comment')) return []
  const library = tokens.find(({ type }, index) => type === 'string' && isWord(tokens[index - 1], 'as'))?.text
  if (language === 'c') return [act('code', 'library', library)]
  if (
    isWord(tokens[0], 'create') &&
    tokens.slice(1, 5).includes(tokens[at] ?? { type: 'sign', text: '', start: 0, end: 0, open: false })
  )
    return UNTRUSTED.test(nameOf(tokens[at + 1])) ? [act('code', 'untrusted-language', language)] : []
  if (!UNTRUSTED.test(language)) return []
  const body = tokens.filter(({ type, start }) => type === 'string' && start !== tokens[at + 1]?.start).at(-1)?.text
  if (language === 'plsh') return [act('run', 'plsh', body)]
  const code = CODE_OF[language]
  return [{ ...act('code', 'untrusted-language', body), ...(code === undefined ? {} : { language: code }) }]
}

/** Settings with a command, a library or access rights, or with the place of a log. */
const SETTINGS: readonly (readonly [name: RegExp, act: SqlAct['act'], type: string, value?: RegExp])[] = [
  [
    /^(?:archive|restore|archive_cleanup|recovery_end|ssl_passphrase)_(?:command|library)$|^recovery_end_command$/,
    'run',
    'setting-command',
    /\S/,
  ],
  [/^(?:shared|session|local)_preload_libraries$|^dynamic_library_path$|^jit_provider$/, 'code', 'library', LIBRARY],
  [/^(?:general_log_file|slow_query_log_file|log_error)$/, 'write-file', 'log-file', /\S/],
  [/^(?:allow_unsigned_extensions|allow_unredacted_secrets)$/, 'code', 'unsigned-extensions'],
]

const settingActs = (tokens: readonly SqlToken[]): readonly Act[] => {
  if (!isWord(tokens[0], 'set', 'alter', 'pragma')) return []
  return tokens.slice(1, 6).flatMap((token, index) => {
    const row = SETTINGS.find(([name]) => name.test(nameOf(token).replace(/^@@(?:global\.)?/, '')))
    if (row === undefined) return []
    const value = first(tokens, index + 1)
    if (row[3] === undefined) return tokens.some((one) => isWord(one, 'false', 'off')) ? [] : [act(row[1], row[2])]
    return value !== undefined && row[3].test(value) ? [act(row[1], row[2], value)] : []
  })
}

/** Features that `sp_configure` enables. */
const OPENED =
  /^(?:xp_cmdshell|ole automation procedures|clr enabled|external scripts enabled|ad hoc distributed queries)$/i

/** Code that is enabled, loaded or created by a statement that begins like this. */
const codeActs = (tokens: readonly SqlToken[]): readonly Act[] => {
  const [verb, what] = [nameOf(tokens[0]), nameOf(tokens[1])]
  const text = (at: number): string | undefined => (tokens[at]?.type === 'string' ? tokens[at].text : undefined)
  const from = tokens.findIndex((token) => isWord(token, 'from'))
  const soname = tokens.findIndex((token) => isWord(token, 'soname'))
  if (soname > 0) return [act('code', 'library', text(soname + 1))]
  if (verb === 'load' && LIBRARY.test(text(1) ?? '')) return [act('code', 'library', text(1))]
  if (verb === 'install') {
    const place = text(1) ?? (from > 0 ? text(from + 1) : undefined)
    return place !== undefined && LIBRARY.test(place) ? [act('code', 'library', place)] : []
  }
  if (verb === 'create' && what === 'extension') {
    const name = tokens.slice(2).find((token) => !isWord(token, 'if', 'not', 'exists'))
    return UNTRUSTED.test(nameOf(name)) ? [act('code', 'untrusted-language', nameOf(name))] : []
  }
  if (verb === 'create' && (what === 'assembly' || tokens.slice(1, 6).some((token) => isWord(token, 'java'))))
    return [act('code', 'assembly')]
  const called = tokens.slice(0, 8)
  if (called.some((token) => isWord(token, 'sp_configure')))
    return tokens.some(
      (token, at) =>
        token.type === 'string' &&
        OPENED.test(token.text) &&
        tokens.slice(at + 1, at + 6).some((one) => one.text === '1'),
    )
      ? [act('code', 'let-in')]
      : []
  if (called.some((token) => isWord(token, 'sp_execute_external_script'))) {
    const language = /python/i.test(named('language')(tokens, 0) ?? '') ? ({ language: 'python' } as const) : {}
    return [{ ...act('code', 'external-script', named('script')(tokens, 0)), ...language }]
  }
  if (tokens.some((token) => isWord(token, 'sp_add_jobstep')))
    return runsCommand(tokens) ? [act('run', 'job-step', named('command')(tokens, 0))] : []
  const job = tokens.findIndex((token) => isWord(token, 'dbms_scheduler'))
  return job >= 0 &&
    tokens.some(({ type, text: one }) => type === 'string' && /^(?:executable|external_script)$/i.test(one))
    ? [act('run', 'job', named('job_action')(tokens, 0))]
    : []
}

/** Other databases' files. */
const attachActs = (tokens: readonly SqlToken[]): readonly Act[] => {
  const file = tokens.slice(1, 6).find(({ type }) => type === 'string')?.text
  if (file === undefined || file === '' || /^:memory:|^(?:postgres|mysql|md):/i.test(file)) return []
  if (isWord(tokens[0], 'attach')) return [act('read-file', 'attach-file', file)]
  return isWord(tokens[0], 'vacuum') ? [act('write-file', 'vacuum-into', file)] : []
}

/** A network target is not a file. */
const placed = (one: Act): Act =>
  one.subject !== undefined && REMOTE.test(one.subject) && (one.act === 'read-file' || one.act === 'write-file')
    ? { ...one, act: one.act === 'read-file' ? 'fetch' : 'send' }
    : one

/**
 * How a statement reaches out of the database: files, programs and code on its machine, places on the network. By its
 * tokens, without regard to a dialect.
 * @param own the tokens from where the statement itself begins
 */
export const reachActs = (tokens: readonly SqlToken[], own: readonly SqlToken[]): readonly Act[] =>
  [
    ...callActs(own),
    ...tableActs(own),
    ...fileActs(own),
    ...languageActs(tokens),
    ...settingActs(own),
    ...codeActs(own),
    ...attachActs(own),
  ].map(placed)
