import type { ParseSql } from '../../evidence/effects/sql/sql-act.ts'

/** The part of `libpg-query` that is used. */
interface Parser {
  readonly loadModule: () => Promise<void>
  readonly parseSync: (text: string) => unknown
}

/** A parser of PostgreSQL that loads itself when it is first asked. */
export interface SqlParser {
  readonly parse: ParseSql
  /** Done when the parser is there, or cannot be had; then SQL is read by its tokens alone. */
  readonly load: () => Promise<void>
}

const importParser = async (): Promise<Parser> => import('libpg-query')

/**
 * PostgreSQL's own parser, compiled to WebAssembly. It is loaded at the first question, which, like all until it is
 * there, is answered with an error: whoever asks reads SQL by its tokens then, which sees no less.
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

/** The parser, ready, or known not to be had: for those who ask many questions and want each answered alike. */
export const loadedSqlParser = async (): Promise<SqlParser> => {
  const parser = createSqlParser()
  await parser.load()
  return parser
}
