import { posix } from 'node:path'
import { isUrl } from '../places/hosts.ts'
import { type Field, visible } from '../values/field.ts'
import { readSql } from '../sql/read-sql.ts'
import { isKnown } from '../values/value.ts'
import type { Call } from '../engine/call.ts'
import { namesProduction, namesThrowAway } from './throw-away.ts'

/** Options that name a database, by client. */
const NAME_OPTIONS: readonly string[] = ['-d', '--dbname', '-D', '--database', '-k', '--keyspace', '--db']

/** Clients whose first operand is the database. */
const NAMED_FIRST = /^(?:psql|pgcli|mysql|mariadb|mycli|sqlite3?|duckdb|litecli|mongosh|mongo|pg_restore)$/

/** What a database is called: the last part of its address or of its file. */
const nameOf = (text: string): string => {
  if (!isUrl(text)) return text.includes('/') ? posix.basename(text) : text
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url === undefined || namesProduction(url.hostname) ? '' : posix.basename(url.pathname)
}

/** The database of a client’s connection. */
const databaseOf = (call: Call): Field | undefined => {
  const [option] = call.options.get(...NAME_OPTIONS)
  if (option !== undefined) return option
  const [first] = call.options.operands
  return first !== undefined && NAMED_FIRST.test(call.name) && !/\s/.test(visible(first)) ? first : undefined
}

const HOST_OPTIONS: readonly string[] = ['-h', '--host']

/** Environments of frameworks, by variable or option. */
const ENVIRONMENT = /^(?:(?:RAILS|RACK|NODE|APP|MIX|DJANGO|FLASK|SYMFONY)_ENV)$/
const ENVIRONMENT_OPTION =
  /^(?:--env|--environment|--settings|--database|--db|--connection|(?:RAILS|RACK|NODE|APP|MIX)_ENV)=(.+)$/

/** Whether a client, or a tool of a framework, works on a database that can be recreated, by its arguments. */
export const isOwnDatabase = (call: Call): boolean => {
  if (call.options.get(...HOST_OPTIONS).some((host) => !isKnown(host) || namesProduction(visible(host)))) return false
  const database = databaseOf(call)
  if (database !== undefined) return isKnown(database) && database.texts.every((text) => namesThrowAway(nameOf(text)))
  if (call.container !== undefined) return namesThrowAway(call.container)
  const given = call.args.flatMap((field) => ENVIRONMENT_OPTION.exec(visible(field))?.[1] ?? [])
  const set = [...call.environment()].flatMap(([name, value]) => (ENVIRONMENT.test(name) ? value.texts : []))
  const named = [...given, ...set]
  return named.length > 0 && named.every(namesThrowAway)
}

const WHOLE = /^\s*(?:drop|create)\s+(?:database|keyspace)\s+(?:if\s+(?:not\s+)?exists\s+)?["'`[]?([\w$-]+)/i

/**
 * Whether everything that SQL destroys can be recreated: a database with such a name, or data in the client's database
 * of that kind. Another database is judged by its own name.
 */
export const sparesOthers = (call: Call, sql: string): boolean => {
  const own = isOwnDatabase(call)
  return readSql(sql)
    .filter(({ act }) => act === 'destroy')
    .every(({ start, end }) => {
      const statement = sql.slice(start, end)
      const whole = WHOLE.exec(statement)?.[1]
      if (whole !== undefined) return namesThrowAway(whole)
      return own && !namesProduction(statement)
    })
}
