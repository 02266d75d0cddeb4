/**
 * What is sensitive and comes in by any way: it stands in no request to a model and in no table or file of the host but
 * where the documentation says so, the trace tells what was done, and the conversation goes on. Every way, with a secret
 * and personal data of changing kinds; all of them together: `npm run e2e -- openclaw-leaks`.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { runLeaks, scenariosOf, type Outcome } from './leak-run.ts'
import { openStage } from './stage.ts'
import { ENCODINGS, KINDS, type Kind } from './values.ts'
import { WAYS_IN } from './ways-in.ts'

const stage = await openStage()
const AT_A_TIME = 4
const LIMIT_MS = 900_000

const [asItIs] = ENCODINGS
const secrets = KINDS.filter((kind) => kind.of === 'secret')
const personal = KINDS.filter((kind) => kind.of === 'personal')

/** Another secret and other personal data for each way. */
const kindsFor = (index: number): readonly Kind[] =>
  [secrets, personal].flatMap((kinds) => kinds.at(index % kinds.length) ?? [])

const outcomes: Outcome[] = []

beforeAll(async () => {
  await stage.guardWith({})
  const scenarios = WAYS_IN.flatMap((way, index) =>
    scenariosOf([way], kindsFor(index), asItIs === undefined ? [] : [asItIs], {
      name: `${stage.freshWord()}w${index}`,
    }),
  )
  outcomes.push(...(await runLeaks(stage, scenarios, { data: stage.gateway.data, atATime: AT_A_TIME })))
}, LIMIT_MS)

for (const way of WAYS_IN)
  describe(way.name, () => {
    const mine = (): readonly Outcome[] => outcomes.filter((one) => one.way === way)

    test('words that are not sensitive reach a model', () => {
      expect(mine().filter(({ value, open }) => value === undefined && !open && way.keptOnly !== true)).toEqual([])
    })

    test('no sensitive value is found, and the trace records what was done', () => {
      const astray = mine().filter(({ leaks, untrue, unsaid }) => leaks.length > 0 || untrue || unsaid)
      expect(astray.map(({ value, leaks, unsaid }) => ({ kind: value?.kind.name, leaks, unsaid }))).toEqual([])
    })

    test('the conversation continues', () => {
      expect(mine().flatMap(({ locked, failed }) => locked ?? failed ?? [])).toEqual([])
    })
  })
