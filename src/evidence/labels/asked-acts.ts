import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { Authority, Effect, SideEffectClass } from '../../protocol/evidence.ts'
import type { Json } from '../../protocol/json.ts'
import {
  actSentences,
  actWords,
  ASSENTS,
  assents,
  DELEGATES,
  delegates,
  readable,
  requestsIn,
  verbsOf,
} from './act-words.ts'
import type { Digest } from './digest.ts'
import type { FactOf, Source } from './facts.ts'
import type { Name } from './names.ts'
import { stringsOf } from './tainted-store.ts'

/** What a call does, in words: those of its tool's name and of its arguments, and what its verb asks for. */
export interface Act {
  readonly words: readonly string[]
  /** Words of short arguments, and all that tell this act from others: those and the ones of its name. No content. */
  readonly args: ReadonlySet<string>
  readonly values: ReadonlySet<string>
  readonly verbs: readonly string[]
  /** It costs money or gives rights. */
  readonly isGrave: boolean
}

/** Who can ask for an act. */
export type Asker = FactOf<'asked'>['by']

/** Which acts the texts of a session ask for. It keeps keyed numbers in place of words. */
export interface AskedActs {
  /** Takes in a text: of a person the whole message, of a stranger each sentence with a verb of an act. */
  note(by: Asker, text: string, source?: Source): void
  /** Takes in that the person agreed to an act. */
  agree(act: Act): void
  /**
   * Who asked for an act; `undefined` where nobody has asked for anything, or only the person, for something else.
   * @param isPersons whether the person named the place that a text came from
   */
  authorityOf(act: Act, isPersons: (place: Name) => boolean): Authority | undefined
  restore(fact: FactOf<'asked'>): void
  facts(): readonly FactOf<'asked'>[]
  /** Words kept. */
  readonly size: number
}

export interface AskedActsOptions {
  readonly digest: Digest
  readonly learnt?: (fact: FactOf<'asked'>) => void
}

/** Texts kept of each asker, and characters of one that are read. */
const MOST_TEXTS: Readonly<Record<Asker, number>> = { person: 256, untrusted: 2_048 }
const LONGEST_TEXT = 262_144
/** Words of one text; a longer message is several. Words of one act, and characters of all arguments that are read. */
const MOST_WORDS = 256
const MOST_OF_ACT = 64
const MOST_READ = 16_384
/** Numbers of all texts of one asker. */
const MOST_NUMBERS = 32_768
/** Part of an act's words that a text has which asks for it, and less where it also has its verb and two of its values. */
const SHARE = 0.4
const SHARE_WITH_VERB = 0.2
const VALUES = 2

/** Where an agent of a chat gateway answers without naming a place. */
const HERE = 'conversation:current'

/** Characters of an argument that are read, and of one that is no content. */
const LONGEST_ARGUMENT = 1_024
const SHORT_ARGUMENT = 128

/** What has to be asked for: it goes outside, costs money, reaches people, gives rights or moves something in the world. */
const ACTS: ReadonlySet<SideEffectClass> = new Set(['external_write', 'financial', 'communication', 'privileged'])

/** Whether somebody has to have asked for a call. An answer in the conversation itself was asked for by speaking. */
export const isAct = (effects: readonly Effect[], sideEffect: SideEffectClass | undefined): boolean => {
  if (sideEffect === undefined || !ACTS.has(sideEffect)) return false
  const sent = effects.filter(({ kind }) => kind === 'net.send').flatMap(({ targets }) => targets)
  return !(sent.length > 0 && sent.every((one) => one.type === 'resource' && one.name === HERE))
}

/** The act of a call. */
export const actOf = (tool: string, input: Json, sideEffect?: SideEffectClass): Act => {
  const name = actWords(tool.replace(/^mcp__.+?__/, ''))
  const words = new Set(name)
  const args = new Set<string>()
  let left = MOST_READ
  for (const text of stringsOf(input)) {
    const read = text.slice(0, Math.min(LONGEST_ARGUMENT, left))
    left -= read.length
    for (const word of actWords(readable(read))) {
      if (words.size < MOST_OF_ACT) words.add(word)
      if (text.length <= SHORT_ARGUMENT) args.add(word)
    }
    if (left <= 0) break
  }
  const isGrave = sideEffect === 'financial' || sideEffect === 'privileged'
  return { words: [...words], args, values: new Set([...name, ...args]), verbs: verbsOf(name), isGrave }
}

interface Text {
  readonly words: readonly number[]
  readonly source: Source | undefined
  /** Its place among the texts of all askers. */
  readonly at: number
}

/** Texts of one asker, found by their words. */
interface Texts {
  put(text: Text): void
  /** Numbers of the texts that have a word. */
  having(word: number): ReadonlySet<number>
  get(number: number): Text | undefined
  all(): Iterable<Text>
  /** The newest. */
  last(): Text | undefined
  readonly size: number
}

const NOWHERE: ReadonlySet<number> = new Set()

const createTexts = (most: number): Texts => {
  const byWord = new Map<number, Set<number>>()
  let size = 0
  const texts = createBoundedMap<number, Text>({
    most,
    weight: { of: ({ words }) => words.length, most: MOST_NUMBERS },
    dropped: (number, { words }) => {
      size -= words.length
      for (const word of words) {
        const places = byWord.get(word)
        places?.delete(number)
        if (places?.size === 0) byWord.delete(word)
      }
    },
  })
  let last: Text | undefined
  return {
    put: (text) => {
      const number = text.at
      last = text
      size += text.words.length
      for (const word of text.words) {
        const places = byWord.get(word) ?? new Set()
        byWord.set(word, places)
        places.add(number)
      }
      texts.set(number, text)
    },
    having: (word) => byWord.get(word) ?? NOWHERE,
    get: (number) => texts.get(number),
    last: () => last,
    *all() {
      for (const [, text] of texts) yield text
    },
    get size() {
      return size
    },
  }
}

/** How much of an act one text has. */
interface Cover {
  readonly text: Text | undefined
  /** Words of the act that it has, of those the ones that tell it from others, and of those the ones of arguments. */
  readonly words: number
  readonly values: number
  readonly args: number
  readonly hasVerb: boolean
}

/** A word of an act, with the numbers it may have: its own and those of what it asks for. */
interface ActWord {
  readonly numbers: readonly number[]
  readonly isValue: boolean
  readonly isArg: boolean
}

/** What each text has of an act that has any of it. */
const coversOf = (texts: Texts, words: readonly ActWord[], verbs: readonly number[]): readonly Cover[] => {
  const counts = new Map<number, { words: number; values: number; args: number }>()
  for (const { numbers, isValue, isArg } of words) {
    const places = new Set(numbers.flatMap((number) => [...texts.having(number)]))
    for (const place of places) {
      const count = counts.get(place) ?? { words: 0, values: 0, args: 0 }
      counts.set(place, count)
      count.words++
      if (isValue) count.values++
      if (isArg) count.args++
    }
  }
  const withVerb = new Set(verbs.flatMap((verb) => [...texts.having(verb)]))
  return [...counts].map(([place, count]) => ({ ...count, text: texts.get(place), hasVerb: withVerb.has(place) }))
}

const rounded = (share: number): number => Math.round(share * 100) / 100

/** Bits of a digest as one number: whoever reads what is kept learns no word. */
const numberOf = (digest: string): number => {
  let number = 0
  for (let at = 0; at < digest.length; at++) number = Math.imul(number ^ digest.charCodeAt(at), 0x01000193)
  return number >>> 0
}

/** Makes the memory of one session. */
export const createAskedActs = ({ digest, learnt }: AskedActsOptions): AskedActs => {
  const texts: Readonly<Record<Asker, Texts>> = {
    person: createTexts(MOST_TEXTS.person),
    untrusted: createTexts(MOST_TEXTS.untrusted),
  }
  const numbers = createBoundedMap<string, number>({ most: MOST_NUMBERS })
  const numberFor = (word: string): number => numbers.getOr(word, () => numberOf(digest(`act ${word}`)))

  let next = 0
  const take = ({ by, words, source }: FactOf<'asked'>): void => {
    for (const some of words) texts[by].put({ words: some, source, at: next++ })
  }
  const add = (by: Asker, sentences: readonly (readonly string[])[], source: Source | undefined): void => {
    const words = sentences.map((sentence) => [...new Set(sentence.slice(0, MOST_WORDS).map(numberFor))])
    if (words.length === 0) return
    const fact: FactOf<'asked'> = { fact: 'asked', by, words, ...(source === undefined ? {} : { source }) }
    take(fact)
    learnt?.(fact)
  }
  /** A sentence with what its verbs ask for. */
  const withVerbs = (words: readonly string[]): readonly string[] => [...verbsOf(words), ...words]

  /** Whether the person left it to a text: one that they pointed at, or, where it has no name, any that they spoke of. */
  const isDelegated = (text: Text | undefined, saidVerb: boolean, isPersons: (place: Name) => boolean): boolean => {
    const last = texts.person.last()
    // A yes is to what came before it.
    if (last !== undefined && last.at > (text?.at ?? 0) && last.words.includes(numberFor(ASSENTS))) return true
    const place = text?.source?.place
    const hasDelegated = texts.person.having(numberFor(DELEGATES)).size > 0
    return place === undefined ? hasDelegated : (hasDelegated || saidVerb) && isPersons(place)
  }

  return Object.freeze<AskedActs>({
    note: (by, text, source) => {
      const read = readable(text.slice(0, LONGEST_TEXT))
      if (by === 'person') {
        const marks = [...(delegates(read) ? [DELEGATES] : []), ...(assents(read) ? [ASSENTS] : [])]
        const words = [...marks, ...withVerbs(actWords(requestsIn(read)))]
        const parts = Array.from({ length: Math.ceil(words.length / MOST_WORDS) }, (_, part) =>
          words.slice(part * MOST_WORDS, (part + 1) * MOST_WORDS),
        )
        add(by, parts, undefined)
        return
      }
      add(by, actSentences(read).slice(0, MOST_TEXTS.untrusted).map(withVerbs), source)
    },
    agree: ({ words }) => {
      if (words.length > 0) add('person', [withVerbs(words)], undefined)
    },
    authorityOf: ({ words, args, values, verbs, isGrave }, isPersons) => {
      const isAlone = texts.untrusted.size === 0
      if (words.length === 0 || (isAlone && texts.person.size === 0)) return undefined
      const asked = words.map((word): ActWord => {
        const families = verbsOf([word])
        return {
          numbers: [word, ...families].map(numberFor),
          isValue: families.length === 0 && values.has(word),
          isArg: args.has(word),
        }
      })
      const ofVerbs = verbs.map(numberFor)
      const shareOf = (cover: Cover): number => cover.words / words.length
      const byPerson = coversOf(texts.person, asked, ofVerbs)
      const person = Math.max(0, ...byPerson.map(shareOf))
      const saidVerb = byPerson.some(({ hasVerb }) => hasVerb)
      const asks = (cover: Cover): boolean => {
        const share = shareOf(cover)
        // The verb is the person's: which of several such acts they meant is not for words to tell, unless it is grave.
        if (saidVerb && !isGrave) return false
        if (args.size > 0 && cover.args === 0) return false
        // A text that speaks of what a message says has not asked for the message.
        if (share <= person || cover.values === 0 || (verbs.length > 0 && !cover.hasVerb)) return false
        if (share >= SHARE && person < SHARE) return true
        return !saidVerb && cover.hasVerb && cover.values >= VALUES && share >= SHARE_WITH_VERB
      }
      const stranger = coversOf(texts.untrusted, asked, ofVerbs)
        .filter(asks)
        .toSorted((a, b) => b.words - a.words)[0]
      if (stranger !== undefined) {
        const source = stranger.text?.source
        return {
          by: isDelegated(stranger.text, saidVerb, isPersons) ? 'delegated' : 'stranger',
          share: rounded(shareOf(stranger)),
          ...(source === undefined ? {} : { source: source.label }),
        }
      }
      if (person >= SHARE || saidVerb) return { by: 'person', share: rounded(person) }
      return isAlone ? undefined : { by: 'nobody' }
    },
    restore: take,
    facts: () => {
      const kept = (['person', 'untrusted'] as const).flatMap((by) =>
        [...texts[by].all()].map((text) => ({ by, ...text })),
      )
      const facts: { by: Asker; words: (readonly number[])[]; source: Source | undefined }[] = []
      for (const { by, words, source } of kept.toSorted((a, b) => a.at - b.at)) {
        const last = facts.at(-1)
        if (last !== undefined && last.by === by && last.source === source) last.words.push(words)
        else facts.push({ by, words: [words], source })
      }
      return facts.map(({ source, ...fact }) => ({
        fact: 'asked',
        ...fact,
        ...(source === undefined ? {} : { source }),
      }))
    },
    get size() {
      return texts.person.size + texts.untrusted.size
    },
  })
}
