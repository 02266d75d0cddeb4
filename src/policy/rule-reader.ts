import { createHash } from 'node:crypto'
import { createBoundedMap } from '../bounded/bounded-map.ts'
import { readRules } from './read-rules.ts'
import type { ReadRules } from './read-rules.ts'
import type { PolicySource } from './rule.ts'

/** Reads sources; the result depends on nothing else. */
export type RuleReader = (source: PolicySource) => ReadRules

/** Most cached sources: those of all layers, of many projects. */
const REMEMBERED = 256

/**
 * Makes a reader with a cache: parsing and validating is most of the work of a policy set, and most sources are
 * unchanged when settings change or another project is opened.
 */
export const createRuleReader = (): RuleReader => {
  const remembered = createBoundedMap<string, ReadRules>({ most: REMEMBERED, byUse: true })
  return (source) => {
    const { layer, name, text } = source
    const key = createHash('sha256')
      .update(JSON.stringify([layer, name, text]))
      .digest('base64')
    return remembered.getOr(key, () => readRules(source))
  }
}
