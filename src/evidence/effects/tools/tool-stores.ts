import { type Json, type JsonObject, isObject } from '../../../protocol/json.ts'
import { argumentName, holdsText } from './argument-name.ts'
import { mayHoldSql } from './tool-sql.ts'
import { wordsOf } from './tool-words.ts'
import { type ToolUse, leavesIn, placeOfText } from './tool.ts'

const MONGO = /mongo|documentdb|cosmos/i
/** A statement of Cypher that deletes without a condition. */
const CYPHER =
  /\bMATCH\s*\(\s*\w*(?:\s*:\s*\w+)?\s*\)(?:\s*-\s*\[[^\]]*\]\s*-?>?\s*\([^)]*\))?\s*(?:DETACH\s+)?DELETE\b/i
/** A list of everything of a kind that Apex deletes. */
const APEX = /\bdelete\s{0,8}\[\s{0,8}select\b(?![^\]]{0,2000}\bwhere\b)/i
/** Commands of Redis and similar stores that leave nothing. */
const FLUSHES = /^(?:FLUSHALL|FLUSHDB)(?:\s+(?:A?SYNC))?$/i
const EMPTY = /^\{\s*\}$/

const own = (use: ToolUse, kind: 'db.destroy' | 'db.change'): void =>
  use.engine.emit(
    { kind, by: use.tool.name, targets: [{ type: 'resource', name: use.tool.server ?? use.tool.name }] },
    use.at(''),
  )

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  (isObject(value) && Object.keys(value).length === 0) ||
  (typeof value === 'string' && EMPTY.test(value.trim()))

/** Commands of MongoDB as documents: `{ dropDatabase: 1 }`, `{ delete: 'users', deletes: [{ q: {}, limit: 0 }] }`. */
const destroysByDocument = (value: Json, depth = 0): boolean => {
  if (depth > 6) return false
  if (Array.isArray(value)) return value.slice(0, 200).some((one: Json) => destroysByDocument(one, depth + 1))
  if (!isObject(value)) return false
  const given: JsonObject = value
  if (['dropDatabase', 'drop', 'dropIndexes', 'dropAllUsersFromDatabase'].some((name) => Object.hasOwn(given, name)))
    return true
  const deletes = given['deletes']
  if (Array.isArray(deletes) && deletes.some((one: Json) => isObject(one) && isEmpty(one['q']) && one['limit'] !== 1))
    return true
  if (Object.hasOwn(given, '$out')) return true
  return Object.values(given).some((one) => destroysByDocument(one, depth + 1))
}

const emitMongo = (use: ToolUse): void => {
  const name = wordsOf(use.tool.name, use.tool.server).join('')
  const filter = use.input['filter'] ?? use.input['query'] ?? use.input['q']
  if (/^(?:delete|remove)(?:many|documents?|all)?$/.test(name) && isEmpty(filter)) own(use, 'db.destroy')
  else if (name.startsWith('drop') || destroysByDocument(use.input)) own(use, 'db.destroy')
  else if (/^update(?:many|all)$/.test(name) && isEmpty(filter) && JSON.stringify(use.input).includes('$unset'))
    own(use, 'db.destroy')
  for (const [pointer, leaf] of leavesIn(use.input, '/input'))
    if (
      typeof leaf === 'string' &&
      /\.(?:dropDatabase|drop|deleteMany|remove|dropCollection)\s*\(\s*(?:\{\s*\}\s*)?\)|\bdropDatabase\b/.test(leaf)
    )
      use.engine.emit(
        { kind: 'db.destroy', by: use.tool.name, targets: [{ type: 'resource', name: 'mongo' }] },
        placeOfText(pointer, leaf),
      )
}

/** Emits the effects of a call on a store with a document or Cypher interface. */
export const emitStores = (use: ToolUse): void => {
  if (MONGO.test(`${use.tool.server ?? ''} ${use.tool.name}`)) emitMongo(use)
  for (const [pointer, leaf] of leavesIn(use.input, '/input')) {
    if (typeof leaf !== 'string' || leaf.length > 20_000) continue
    const name = argumentName(pointer)
    if (APEX.test(leaf) && /apex/i.test(use.tool.name)) own(use, 'db.destroy')
    if (holdsText(name) && !mayHoldSql(name.own)) continue
    if (CYPHER.test(leaf) || (mayHoldSql(name.own) && FLUSHES.test(leaf.trim()))) own(use, 'db.destroy')
  }
}
