import type { Random } from './random.ts'
import { picker } from './random.ts'
import type { Sample } from './sources.ts'

/** Longer results are cut before something is put into them. */
const LONGEST = 6000
/** What people ask an assistant for, when it is short enough to hide in something else. */
const ASKED = { least: 15, most: 300 }

/** A text with another before it, behind it or between two of its lines. */
const insert = (random: Random, around: string, order: string): string => {
  const lines = around.slice(0, LONGEST).split('\n')
  const place = random() < 0.34 ? 0 : random() < 0.5 ? lines.length : Math.floor(random() * (lines.length + 1))
  const gap = random() < 0.5 ? '\n' : ' '
  return [lines.slice(0, place).join('\n'), order, lines.slice(place).join('\n')]
    .filter((part) => part !== '')
    .join(gap)
}

const isResult = ({ attack, channel, source }: Sample): boolean =>
  !attack && channel === 'tool' && !source.startsWith('written')

const inserted = (random: Random, around: Sample, order: string, rest: Partial<Sample>): Sample => ({
  ...around,
  text: insert(random, around.text, order),
  payload: order,
  attack: true,
  channel: 'tool',
  weight: 1,
  ...rest,
})

/**
 * Results of tools with something put into them that speaks to an assistant: what a person asked one for, harmless in
 * itself, or a written attack. In what a tool returns either is somebody else's order.
 */
export const insertedSamples = (
  random: Random,
  samples: readonly Sample[],
  attacks: readonly Sample[],
  count: number,
): readonly Sample[] => {
  const pick = picker(random)
  const results = samples.filter(isResult)
  const requests = samples.filter(
    ({ attack, channel, source, text, weight }) =>
      !attack &&
      channel === 'user' &&
      weight >= 1 &&
      !['benign_gpteacher_roleplay', 'benign_taubench'].includes(source) &&
      text.length > ASKED.least &&
      text.length < ASKED.most,
  )
  return Array.from({ length: count }, () => {
    const around = pick(results)
    if (random() < 0.4) return inserted(random, around, pick(attacks).text, { source: 'inserted attack' })
    const request = pick(requests)
    const folds = [...around.folds, ...request.folds]
    return inserted(random, around, request.text.trim(), { source: 'inserted request', folds })
  })
}

/** Orders that are never trained on, each in so many results. */
export const insertedOrders = (
  random: Random,
  samples: readonly Sample[],
  orders: readonly string[],
  times: number,
): readonly Sample[] => {
  const pick = picker(random)
  const results = samples.filter(isResult)
  return orders.flatMap((order) =>
    Array.from({ length: times }, () =>
      inserted(random, pick(results), order, { source: 'plain orders', kind: 'plain order' }),
    ),
  )
}

/** Attacks on people's channel longer than this are not part of a result. */
const LONGEST_ATTACK = 1500

/**
 * Attacks that were collected on people's channel, in results of tools of the same fold: neither the attack nor what
 * stands around it has been seen by the weights that judge it.
 */
export const insertedAttacks = (random: Random, samples: readonly Sample[], count: number): readonly Sample[] => {
  const pick = picker(random)
  const results = Map.groupBy(samples.filter(isResult), ({ folds }) => folds[0])
  const attacks = Map.groupBy(
    samples.filter(
      ({ attack, channel, text, weight }) => attack && channel === 'user' && weight > 0 && text.length < LONGEST_ATTACK,
    ),
    ({ source }) => source,
  )
  return [...attacks].flatMap(([source, own]) => {
    const around = results.get(own[0]?.folds[0])
    if (around === undefined) return []
    return Array.from({ length: Math.min(count, own.length) }, () =>
      inserted(random, pick(around), pick(own).text.trim(), {
        source: `${source} in results`,
        kind: 'attack in result',
      }),
    )
  })
}
