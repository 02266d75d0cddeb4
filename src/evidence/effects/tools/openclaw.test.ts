import { expect, test } from 'vitest'
import { effectNotation, isPlainRun } from '../effect-notation.ts'
import { analyseEffects } from '../analyse-effects.ts'
import { DEFAULT_EFFECT_BUDGET } from '../analysis.ts'
import { GUARD, WORLD, callOf } from '../fixture.ts'
import { OPENCLAW_TOOLS } from './openclaw.ts'
import type { JsonObject } from '../../../protocol/json.ts'

const analyse = (name: string, input: JsonObject) =>
  analyseEffects(
    { ...callOf(name, input), host: 'openclaw' },
    { world: WORLD, guard: GUARD, budget: DEFAULT_EFFECT_BUDGET },
  )

const effectsOf = (name: string, input: JsonObject): readonly string[] =>
  analyse(name, input)
    .effects.filter((effect) => !isPlainRun(effect))
    .map(effectNotation)

/** Deleting a folder the guard lies in tampers with it as well; the examples speak of the deletion only. */
const withoutTamper = (effects: readonly string[], expected: readonly string[]): readonly string[] =>
  expected.some((one) => one.startsWith('guard.tamper'))
    ? effects
    : effects.filter((one) => !one.startsWith('guard.tamper'))

const examples = OPENCLAW_TOOLS.flatMap(({ names, examples: rows = [] }) =>
  rows.map(([input, ...expected]) => ({ tool: names[0] ?? '', input, expected })),
)

test.each(examples)('$tool $input', ({ tool, input, expected }) => {
  expect(withoutTamper(effectsOf(tool, input), expected).toSorted()).toEqual(expected.toSorted())
})
