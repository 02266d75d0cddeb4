import type { ParseSql } from '../../evidence/effects/sql/sql-act.ts'

/** The part of `libpg-query` that is used. */
interface Parser {
  readonly loadModule: () => Promise<void>
  readonly parseSync: (text: string) => unknown
}

/** A parser of PostgreSQL that is loaded on first use. */
export interface SqlParser {
  readonly parse: ParseSql
  /** Resolves when the parser is loaded, or has failed to load; then SQL is read by its tokens alone. */
  readonly load: () => Promise<void>
}

const importParser = async (): Promise<Parser> => import('libpg-query')

/**
 * PostgreSQL's own parser, compiled to WebAssembly. It is loaded on first use; until then every call returns an error,
 * and the caller reads SQL by its tokens, which finds no less.
 */
export const createSqlParser = (importIt: () => Promise<Parser> = importParser): SqlParser => {
  let parser: Parser | undefined
  let loading: Promise<void> | undefined
  const fetchParser = async (): Promise<void> => {
    try {
      const found = await importIt()
      await found.loadModule()
      parser = found
    } catch {
      parser = undefined
    }
  }
  const load = (): Promise<void> => (loading ??= fetchParser())
  const parse: ParseSql = (text) => {
    if (parser === undefined) {
      void load()
      return { error: 'The parser is not loaded.' }
    }
    try {
      return { tree: parser.parseSync(text) }
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) }
    }
  }
  return Object.freeze({ parse, load })
}

/** The parser, loaded or failed: for callers with many texts that should all be read alike. */
export const loadedSqlParser = async (): Promise<SqlParser> => {
  const parser = createSqlParser()
  await parser.load()
  return parser
}
