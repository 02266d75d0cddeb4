import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { PAGE_MARKS } from '../scripts/train/page.ts'
import { createDetectors } from '../src/assembly/detection/detectors.ts'
import { loadConfig } from '../src/config/load.ts'
import { HIDDEN_TYPES } from '../src/evidence/detectors/hidden-text/hidden-types.ts'
import { MALICIOUS_CODE_RULES } from '../src/evidence/detectors/malicious-code/malicious-code-detector.ts'
import { PII_NAMED_RULES, PII_RULES } from '../src/evidence/detectors/pii/pii-detector.ts'
import { DEFAULT_THRESHOLDS } from '../src/evidence/detectors/injection/thresholds.ts'
import { SECRET_RULES } from '../src/evidence/detectors/secrets/secrets-detector.ts'

const pageOf = (id: string): string => readFileSync(new URL(`../docs/detectors/${id}.md`, import.meta.url), 'utf8')

const IDS = ['secrets', 'pii', 'hidden-text', 'urls', 'injection', 'malicious-code', 'toxic', 'topics', 'sql'] as const

/** What every page tells, in this order; others may stand between. The page of injection is a model card beside. */
const HEADINGS = [
  '## What it finds',
  '## What it does not find',
  '## Figures',
  '## Cost',
  '## Switching off and tuning',
] as const

const RULES = readdirSync(new URL('../policies', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => [
    ...readFileSync(new URL(`../policies/${name}/policies.cedar`, import.meta.url), 'utf8').matchAll(
      /@id\("([a-z-]+)"\)/g,
    ),
  ])
  .map(([, id]) => id)

/** Types that a page has to name, by itself or by a family such as `dropper-*`; the page may leave out the family's name. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  'hidden-text': HIDDEN_TYPES,
  'malicious-code': MALICIOUS_CODE_RULES.map(({ type }) => type),
  pii: [...[...PII_RULES, ...PII_NAMED_RULES].map(({ type }) => type), 'travel-document'],
}

const isNamed = (page: string, type: string): boolean =>
  page.includes(`\`${type}\``) ||
  [...page.matchAll(/`([a-z-]+-)\*`/g)].some(([, family = '']) => type.startsWith(family)) ||
  [...page.matchAll(/`-([a-z-]+)`/g)].some(([, end = '']) => type.endsWith(`-${end}`))

describe('pages of detectors', () => {
  test('there is one for each detector, and no other', () => {
    const pages = readdirSync(new URL('../docs/detectors', import.meta.url)).map((name) => name.replace(/\.md$/, ''))
    expect(pages.toSorted()).toEqual(
      createDetectors(loadConfig([]))
        .map(({ id }) => id)
        .toSorted(),
    )
    expect([...IDS].toSorted()).toEqual(pages.toSorted())
  })

  test.each(IDS.filter((id) => id !== 'injection'))('%s: what it finds and does not, figures, cost, switches', (id) => {
    const headings = [...pageOf(id).matchAll(/^## .+$/gm)].map(([heading]) => heading)
    expect(headings.filter((heading) => (HEADINGS as readonly string[]).includes(heading))).toEqual(HEADINGS)
  })

  test.each(IDS.filter((id) => id !== 'injection'))('%s: the rules it speaks of exist', (id) => {
    const [, part = ''] = pageOf(id).split('## Switching off and tuning')
    const named = [...part.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, rule = '']) => rule)
    expect(named.filter((rule) => rule !== 'deny-topics' && !RULES.includes(rule))).toEqual([])
  })

  test.each(Object.entries(TYPES))('%s: every type is told of', (id, types) => {
    const page = pageOf(id)
    expect([...new Set(types)].filter((type) => !isNamed(page, type))).toEqual([])
  })

  test('injection: the default thresholds are those in force', () => {
    const [, sentence = ''] = /A stretch is a finding from a threshold on: (.+)\./.exec(pageOf('injection')) ?? []
    const told = [...sentence.matchAll(/([^,\d][^\d]*) ([\d.]+\d)/g)].flatMap(([, channels = '', threshold]) =>
      [...channels.matchAll(/`(\w+)`/g)].map(([, channel = '']) => [channel, Number(threshold)] as const),
    )
    expect(Object.fromEntries(told)).toEqual(DEFAULT_THRESHOLDS)
  })

  test('injection: what training measured stands between its marks', () => {
    const [, rest = ''] = pageOf('../injection-figures').split(PAGE_MARKS.from)
    expect(rest.split(PAGE_MARKS.to)[0]).toMatch(
      /^Tool channel: .+ benign texts[^]+^User channel: [^]+^Agent channel: /m,
    )
  })

  test('secrets: the rules are counted', () => {
    const types = new Set(SECRET_RULES.map(({ type }) => type)).size
    expect(pageOf('secrets')).toContain(`${SECRET_RULES.length} rules, ${types} types`)
  })
})
