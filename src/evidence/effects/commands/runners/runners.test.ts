import { describe, expect, test } from 'vitest'
import { DEFAULT_EFFECT_BUDGET } from '../../analysis.ts'
import { analyseEffects } from '../../analyse-effects.ts'
import { effectNotation } from '../../effect-notation.ts'
import { GUARD, callOf, effectsOf } from '../../fixture.ts'
import { createGivenWorld } from '../../given-world.ts'
import { PROJECT_ROWS } from './projects.ts'
import { RUNNERS } from './runners.ts'

/** A program may have a row of its own that tells the same as possible. */
const plain = (effects: readonly string[]): readonly string[] =>
  effects.filter(
    (one) => !one.startsWith('guard.tamper') && !(one.includes('?') && effects.includes(one.replace('?', ''))),
  )

const examples = RUNNERS.flatMap((row) => row.examples.map(([name, ...expected]) => ({ name, expected })))

test.each(examples)('$name', ({ name, expected }) => {
  expect(plain(effectsOf(name)).toSorted()).toEqual(expected.toSorted())
})

const HOME = '/home/user'

const effectsIn = (command: string, files: Readonly<Record<string, string>>): readonly string[] =>
  analyseEffects(callOf('Bash', { command }), {
    world: createGivenWorld({
      home: HOME,
      files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`${HOME}/app/${name}`, text])),
    }),
    guard: GUARD,
    budget: DEFAULT_EFFECT_BUDGET,
  }).effects.map(effectNotation)

const DELETES_ROOT = /^fs\.delete\S*@root$/

describe('files of a project that a runner finds by itself', () => {
  test.each(
    PROJECT_ROWS.map(([names, runs, , command, file, text]) => ({
      name: `${names.split(' ')[0]}: ${runs} ${file}`,
      command,
      file,
      text,
    })),
  )('$name', ({ command, file, text }) => {
    expect(effectsIn(command, { [file]: text }).filter((one) => DELETES_ROOT.test(one))).not.toEqual([])
    expect(effectsIn(command, {}).filter((one) => DELETES_ROOT.test(one))).toEqual([])
  })
})
