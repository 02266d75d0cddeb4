import type { EffectKind, Target } from '../../../protocol/evidence.ts'
import type { Place } from '../engine.ts'
import { analyseShell } from '../shell/analyse-shell.ts'
import { looksLikeSql } from '../sql/looks-like-sql.ts'
import type { ToolUse } from './tool.ts'

/** Members that hold SQL by their name, and ones that do when the text or the tool says so. */
const SQL_NAME = /^(?:sql|sqls|sql_?(?:query|statement|text|command)s?)$/i
const MAYBE_SQL_NAME = /^(?:query|queries|statements?|command|commands|text|script|operation|raw)$/i

/** Whether a member of this name may hold SQL. */
export const mayHoldSql = (member: string): boolean => SQL_NAME.test(member) || MAYBE_SQL_NAME.test(member)

const DATABASE =
  /postgres|pgsql|mysql|mariadb|sqlite|(?:^|[_-])(?:sql|mssql|pg|db)(?:[_-]|$)|database|supabase|snowflake|bigquery|clickhouse|duckdb|neon|redshift|cockroach/i

const isSql = (use: ToolUse, member: string, text: string): boolean => {
  if (SQL_NAME.test(member)) return true
  if (!MAYBE_SQL_NAME.test(member)) return false
  return DATABASE.test(`${use.tool.server ?? ''}_${use.tool.name}`) || looksLikeSql(text)
}

/** Says what a member does that holds SQL; nothing of one that holds none. */
export const tellToolSql = (use: ToolUse, member: string, text: string, place: Place): void => {
  if (!isSql(use, member, text)) return
  const { engine } = use
  const by = use.tool.name
  const emit = (kind: EffectKind, target: Target): void => engine.emit({ kind, by, targets: [target] }, place)
  const file = (kind: EffectKind) => (path: string) =>
    emit(kind, engine.paths.resolve(path, engine.paths.cwd, 'content'))
  engine.tellSql(text, {
    emit: (kind) => emit(kind, { type: 'resource', name: by }),
    read: (path) => {
      const target = engine.paths.resolve(path, engine.paths.cwd, 'content')
      emit('fs.read', target)
      if (target.zone === 'credential' || target.zone === 'dotenv') emit('secret.read', target)
    },
    write: file('fs.write'),
    run: (command) => analyseShell(command, place.span?.pointer ?? '/input', engine),
    hidden: () => emit('unresolved', { type: 'unknown', raw: 'SQL' }),
  })
}
