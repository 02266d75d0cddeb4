import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { checkSync } from 'recheck'
import { expect, test } from 'vitest'

/** A regular expression; without flags it is sticky, as the rules' patterns are. */
export interface Expression {
  readonly source: string
  readonly flags: string
}

const FOLDER = join(import.meta.dirname, '../linear-time')
const CHECKER = (createRequire(import.meta.url)('recheck/package.json') as { readonly version: string }).version

/** Expressions checked in one go: an alternation is as vulnerable as its worst part, and each run has its price. */
const BATCH = 10
const LONGEST_CHECK_MS = 30_000

const keyOf = ({ source, flags }: Expression): string =>
  createHash('sha256').update(`${CHECKER}/${flags}/${source}`).digest('hex').slice(0, 16)

const isSafe = ({ source, flags }: Expression): boolean =>
  checkSync(source, flags, { timeout: LONGEST_CHECK_MS }).status === 'safe'

/**
 * The checker runs the texts it makes, each for a second at most. On a busy machine a harmless one can take longer, and is
 * fast the next time; what is slow by itself is slow each time, since the checker makes the same texts again.
 */
const LOOKS = 3

const isSlow = (one: Expression): boolean => Array.from({ length: LOOKS }).every(() => !isSafe(one))

const inOne = (batch: readonly Expression[]): Expression => ({
  source: batch.map(({ source }) => `(?:${source})`).join('|'),
  flags: batch[0]?.flags ?? '',
})

/** Those that some text makes take more than linear time, as far as the checker can tell. */
export const findSlow = (expressions: readonly Expression[]): readonly Expression[] => {
  const refersBack = ({ source }: Expression): boolean => /\\(?:[1-9]|k<)/.test(source)
  const alone = expressions.filter(refersBack)
  const batches = [
    ...Map.groupBy(
      expressions.filter((one) => !refersBack(one)),
      ({ flags }) => flags,
    ).values(),
  ].flatMap((alike) =>
    Array.from({ length: Math.ceil(alike.length / BATCH) }, (_, at) => alike.slice(at * BATCH, (at + 1) * BATCH)),
  )
  const suspect = batches.filter((batch) => batch.length === 1 || !isSafe(inOne(batch))).flat()
  return [...alone, ...suspect].filter(isSlow)
}

/**
 * Holds regular expressions to linear time. What the checker (its version is part of the record) found safe is
 * remembered in test/linear-time/ and believed, but for one at random; what is new or changed is checked at once.
 * `npm run recheck` checks all anew and writes the record, and so does CI without believing it.
 * @param name of the record
 */
export const holdsToLinearTime = (name: string, expressions: readonly Expression[]): void => {
  const file = join(FOLDER, `${name}.json`)
  const known = new Set(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly string[]) : [])
  const mode = process.env['RECHECK']
  test(`no text takes these more than linear time: ${name}`, { timeout: 1_800_000 }, () => {
    const [fresh, believed] = [true, false].map((isNew) =>
      expressions.filter((one) => (mode === undefined && known.has(keyOf(one))) !== isNew),
    )
    const drawn = (believed ?? []).slice(Math.floor(Math.random() * (believed?.length ?? 0))).slice(0, 1)
    expect(findSlow([...(fresh ?? []), ...drawn]).map(({ source }) => source)).toEqual([])
    if (mode !== 'write') return
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(file, `${JSON.stringify([...new Set(expressions.map(keyOf))].toSorted(), null, 2)}\n`)
  })
}
