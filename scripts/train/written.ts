import type { Sample } from './sources.ts'
import type { Random } from './random.ts'
import { createRandom, picker } from './random.ts'
import { ADDRESS, FOREIGN, OVERRIDE, PERSONAS, SECRECY, demands } from './written-attacks.ts'
import { ABOUT, DIALOGUE, EVERYDAY, MODEL_CODE, PROJECT_RULES, USER_WORDS } from './written-benign.ts'
import { NEIGHBOURS } from './written-neighbours.ts'

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const base = { source: 'written', kind: 'written', channel: 'user', folds: [], weight: 1 } as const

/** Each kind of harmless neighbours, put together from its parts. */
const neighbourSamples = (random: Random, count: number): readonly Sample[] => {
  const pick = picker(random)
  return NEIGHBOURS.flatMap(({ kind, channel, fold, most, parts }) =>
    Array.from({ length: count }, () => ({
      ...base,
      text: Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(parts)).join(
        channel === 'tool' ? '\n' : '. ',
      ),
      attack: false,
      source: `written ${kind}`,
      kind,
      channel,
      folds: [fold],
    })),
  )
}

/** Attacks and their harmless neighbours, put together from parts; the same each time. */
export const writtenSamples = (count = 1500): readonly Sample[] => {
  const random = createRandom(20261121)
  const pick = picker(random)
  const several = (from: readonly string[], most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(from)).join(' ')
  const injected = (): string => {
    const address = random() < 0.6 ? `${pick(ADDRESS)} ` : ''
    const override = random() < 0.65 || address === '' ? `${pick(OVERRIDE)} ` : ''
    const demand = demands(pick, random)
    const secrecy = random() < 0.45 ? ` ${pick(SECRECY)}` : ''
    const text = `${address}${address === '' ? sentence(override) : override}${demand}.${secrecy}`
    return random() < 0.08 ? text.toUpperCase() : text
  }
  const direct = (): string =>
    `${random() < 0.4 ? `${sentence(pick(OVERRIDE))} ` : ''}${pick(PERSONAS)}${random() < 0.4 ? ` ${pick(SECRECY)}` : ''}`
  const attacks = [
    ...Array.from({ length: count }, injected),
    ...Array.from({ length: count / 5 }, direct),
    ...Array.from({ length: count / 4 }, () => several(pick(FOREIGN), 3)),
  ]
  const benign = [
    ...Array.from({ length: count / 2 }, () => several(ABOUT, 4)),
    ...Array.from({ length: count / 2 }, () => several(PROJECT_RULES, 4)),
    ...Array.from({ length: count / 3 }, () => several(USER_WORDS, 2)),
    ...Array.from({ length: count / 3 }, () => several(DIALOGUE, 3)),
    ...Array.from({ length: count / 3 }, () => several(MODEL_CODE, 4)),
    ...Array.from({ length: count / 2 }, () => several(pick(EVERYDAY), 4)),
  ]
  const toSample = (attack: boolean) => (text: string) => ({ ...base, text, attack })
  return [
    ...attacks.map(toSample(true)),
    ...benign.map(toSample(false)),
    ...neighbourSamples(createRandom(20261122), count / 10),
  ]
}
