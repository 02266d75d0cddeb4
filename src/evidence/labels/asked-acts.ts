import { createBoundedMap } from '../../bounded/bounded-map.ts'
import type { Authority } from '../../protocol/evidence.ts'
import {
  actSentences,
  actWords,
  ADDRESSED,
  LEADS_OUT,
  namesOfAct,
  plainWordsOf,
  readable,
  verbsOf,
} from './act-words.ts'
import { isShared } from './host-place.ts'
import { createTexts, MOST_NUMBERS, numberOf } from './asked-texts.ts'
import type { Says, Text, Texts } from './asked-texts.ts'
import { isAboutTimes } from './asked-for.ts'
import type { Act, ActSort } from './call-act.ts'
import type { Digest } from './digest.ts'
import type { FactOf, Source } from './facts.ts'
import type { Name } from './names.ts'
import {
  ASSENTS,
  assents,
  asksForChanges,
  asksForOwn,
  DELEGATES,
  delegates,
  ordersIn,
  OWN,
  PICKS,
  picks,
  prohibitionsIn,
  purposesOf,
  requestsIn,
  tellsOthers,
  withoutNouns,
} from './person-words.ts'
import type { Prohibition } from './person-words.ts'
import { asksForRelease, RELEASES } from './release-request.ts'
import { spelledIn } from './spelled-out.ts'

/** Who can ask for an act. */
export type Asker = FactOf<'asked'>['by']

/** The acts that the texts of a session ask for. Words are stored as keyed numbers. */
export interface AskedActs {
  /** Learns a text: of a person the whole message, of a stranger each sentence with a verb of an act. */
  note(by: Asker, text: string, source?: Source, isInjection?: boolean): void
  /** Learns that the person agreed to an act. */
  agree(act: Act): void
  /**
   * Who asked for an act; `undefined` if nobody asked for anything, or only the person, for something else.
   * @param isPersons whether the person named the place that a text came from
   * @param isUntrusted whether a text from outside was read at all
   */
  authorityOf(act: Act, isPersons: (place: Name) => boolean, isUntrusted?: boolean): Authority | undefined
  /** Whether anything remembered can decide who asked for an act of a sort; otherwise the act has no authority. */
  mayTell(this: void, sort: ActSort): boolean
  /** Whether one message of the person asks with a word of every group. */
  readonly says: Says
  restore(fact: FactOf<'asked'>): void
  facts(): readonly FactOf<'asked'>[]
  /** Nothing is remembered that could decide about an act. */
  readonly isEmpty: boolean
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
/** Words of one text; a longer message is several. */
const MOST_WORDS = 256
/** Share of an act's words in a text that asks for it; the smaller one if it also has the verb and two of its values. */
const SHARE = 0.4
const SHARE_WITH_VERB = 0.2
const VALUES = 2

/** Prefixes of what a request covers in addition to its verbs, what it lifts, and what a prohibition is about. */
const COVERS = ':covers'
const LIFTS = ':lifts'
const FORBIDS = ':forbids'
const NOT = ':not'
const WAITS = ':waits'
const ABOUT = ':about'
const EVERYTHING = ':everything'

/** The words of a prohibition, as a text of the person. */
const wordsOfProhibition = ({ verbs, all, waits, names }: Prohibition): readonly string[] => [
  FORBIDS,
  ...(waits ? [WAITS] : []),
  ...(all ? [NOT + EVERYTHING] : []),
  ...verbs.map((verb) => NOT + verb),
  ...(names.length === 0
    ? []
    : [ABOUT, ...names.flatMap((name) => [`about ${name}`, ...actWords(name).map((word) => `about ${word}`)])]),
]

/** The words of a request, with what it covers and lifts. */
const wordsOfRequest = (message: string): readonly string[] => {
  const request = requestsIn(message)
  const orders = ordersIn(message)
  const said = actWords(request)
  return [
    ...purposesOf(orders).map((verb) => COVERS + verb),
    ...verbsOf(actWords(withoutNouns(orders))).map((verb) => LIFTS + verb),
    ...purposesOf(orders).map((verb) => LIFTS + verb),
    ...(asksForChanges(orders) ? [LIFTS + EVERYTHING] : []),
    ...(tellsOthers(request) ? [':share'] : []),
    ...namesOfAct(request),
    ...verbsOf(actWords(withoutNouns(request))),
    ...said,
    ...(asksForOwn(orders) ? [OWN] : []),
    ...spelledIn(request, isAboutTimes(said)),
  ]
}

/** A sentence with what its verbs ask for. */
const withVerbs = (words: readonly string[]): readonly string[] => [...verbsOf(words), ...words]

/** How much of an act one text has. */
interface Cover {
  readonly text: Text | undefined
  /** Words of the act in the text, those of them that distinguish the act, and those of arguments. */
  readonly words: number
  readonly values: number
  readonly args: number
  readonly hasVerb: boolean
}

/** Who asked for an act, according to the texts. */
interface Asked {
  /** A request of the person has its verb. */
  readonly saidVerb: boolean
  readonly isPersons: boolean
  readonly share: number
  /** The sentence of a stranger that asks for it, where one does. */
  readonly text: Text | undefined
}

/** Words of commands that any sentence may have. */
const COMMON = 4
const plainOf = (words: Iterable<string>): readonly string[] =>
  [...words].filter((word) => word.length >= COMMON && !/[@:]/.test(word) && verbsOf([word]).length === 0)

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
  /** Whether the person delegated it to a text: one that they referred to, or any mentioned one without a source. */
  const isDelegated = (text: Text | undefined, saidVerb: boolean, isPersons: (place: Name) => boolean): boolean => {
    // Text that imitates the person or addresses agents was not meant by naming its place.
    const isSaid = saidVerb && text?.words.includes(numberFor(ADDRESSED)) !== true
    const last = texts.person.last()
    // A yes is to what came before it.
    if (last !== undefined && last.at > (text?.at ?? 0) && last.words.includes(numberFor(ASSENTS))) return true
    const named = text?.source?.place
    // A host of everybody's is not a place that a person could mean.
    const place = named?.kind === 'host' && isShared(named.value) ? undefined : named
    const hasDelegated = texts.person.having(numberFor(DELEGATES)).size > 0
    return place === undefined ? hasDelegated : (hasDelegated || isSaid) && isPersons(place)
  }

  /** Whether the person handed over a matter that an act names. */
  const isOfDelegated = ({ names }: Act): boolean => {
    const delegating = texts.person.having(numberFor(DELEGATES))
    return (
      delegating.size > 0 &&
      names.some((name) => [...texts.person.having(numberFor(name))].some((at) => delegating.has(at)))
    )
  }

  const isSaid = (words: Iterable<string>): boolean =>
    texts.person.size > 0 && [...words].some((word) => texts.person.having(numberFor(word)).size > 0)

  /** Whether a later message of the person lifts a prohibition of these verbs. */
  const isLifted = ({ at, words }: Text, verbs: readonly string[]): boolean => {
    const lifting = [...verbs.map((verb) => LIFTS + verb), ...(words.includes(numberFor(WAITS)) ? [ASSENTS] : [])]
    return lifting.some((word) => [...texts.person.having(numberFor(word))].some((later) => later > at))
  }

  /** Whether the person has forbidden an act, and not lifted it. */
  const isForbidden = (act: Act): boolean => {
    const forbidding = texts.person.having(numberFor(FORBIDS))
    if (forbidding.size === 0) return false
    const about = new Set(
      [...act.names.map((name) => name.slice(1)), ...act.words].map((name) => numberFor(`about ${name}`)),
    )
    for (const number of forbidding) {
      const text = texts.person.get(number)
      if (text === undefined) continue
      const has = (word: string): boolean => text.words.includes(numberFor(word))
      const verbs = act.verbs.filter((verb) => has(NOT + verb))
      const everything = act.sort !== 'program' && has(NOT + EVERYTHING)
      if (verbs.length === 0 && !everything) continue
      if (has(ABOUT) ? !text.words.some((word) => about.has(word)) : act.sort === 'program' && !everything) continue
      if (!isLifted(text, everything ? [...act.verbs, EVERYTHING] : verbs)) return true
    }
    return false
  }

  const isOrder = (text: Text | undefined): boolean => text?.words.includes(numberFor(LIFTS + EVERYTHING)) === true

  /** Whether the person's last message picks something of what was shown. */
  const isChosen = (): boolean => texts.person.last()?.words.includes(numberFor(PICKS)) === true

  /** Whether an order has every argument. */
  const givesAll = ({ text, args }: Cover, given: ReadonlySet<string>): boolean =>
    given.size >= VALUES && args === given.size && isOrder(text)

  /** The act of a tool outside: a text has more of its words than any message of the person. */
  const byWords = (act: Act): Asked => {
    const { words, args, values, verbs, isGrave, binds, names } = act
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
    const telling = new Set(
      [...names, ...args]
        .filter((word) => /\d/.test(word))
        .flatMap((word) => [...texts.untrusted.having(numberFor(word))]),
    )
    const addressed = texts.untrusted.having(numberFor(ADDRESSED))
    const asks = (cover: Cover): boolean => {
      const share = shareOf(cover)
      // The verb is the person's: words cannot decide which of several such acts they meant, unless the act is severe.
      if (saidVerb && !isGrave) return false
      if (args.size > 0 && cover.args === 0) return false
      // A text about the content of a message has not asked for the message.
      if (share <= person || cover.values === 0 || (verbs.length > 0 && !cover.hasVerb)) return false
      if (share >= SHARE && person < SHARE) return true
      const at = cover.text?.at ?? -1
      const isTold = cover.values >= VALUES || telling.has(at) || addressed.has(at)
      return !saidVerb && cover.hasVerb && isTold && share >= SHARE_WITH_VERB
    }
    const stranger = coversOf(texts.untrusted, asked, ofVerbs)
      .filter(asks)
      .toSorted((a, b) => b.words - a.words)[0]
    return {
      saidVerb,
      // Mentioning a hotel does not book it: a binding act needs its verb, if it has a known one, a choice from what was
      // shown, or an order with all its arguments.
      isPersons:
        saidVerb ||
        (binds && verbs.length > 0 ? isChosen() || byPerson.some((cover) => givesAll(cover, args)) : person >= SHARE),
      share: stranger === undefined ? person : shareOf(stranger),
      text: stranger?.text,
    }
  }

  /** The text of a stranger that has the verb of a command or a file, or its program, and names what it is about. */
  const textNaming = (act: Act, saidVerb: boolean): Pick<Asked, 'share' | 'text'> => {
    if (texts.untrusted.size === 0) return { share: 0, text: undefined }
    const { args, verbs, programs, sort } = act
    const names = act.names.filter((name) => act.place?.has(name) !== true)
    const isNew = (word: string): boolean => {
      if (isSaid([word])) return false
      const host = /:\/\/([^/?#:]{1,253})/.exec(word)?.[1]
      if (host !== undefined) return !isSaid([`=${host}`])
      const plain = word.startsWith('=') ? plainWordsOf(word) : []
      return plain.length === 0 || !plain.every((one) => isSaid([one]))
    }
    /** The person has named it since: what they point at in an answer is theirs. */
    const isNamedSince = (word: string, text: number): boolean =>
      [...texts.person.having(numberFor(word))].some((later) => later > text)
    const verbNumbers = new Set([...verbs, ...programs].map(numberFor))
    const addressed = texts.untrusted.having(numberFor(ADDRESSED))
    const commands = new Set(names.filter((name) => name.includes(' ')).map(numberFor))
    const leadsOut = names.some((name) => LEADS_OUT.test(name))
    const named = new Map<number, number>()
    const count = (words: Iterable<string>, isCounted: (text: number) => boolean): void => {
      for (const word of words)
        if (!saidVerb || isNew(word))
          for (const number of texts.untrusted.having(numberFor(word)))
            if (isCounted(number)) named.set(number, (named.get(number) ?? 0) + 1)
    }
    for (const name of names)
      count(
        [name],
        // Where the person wants such an act, another machine that only a text names in it is still the text's.
        (number) => (!saidVerb || addressed.has(number) || LEADS_OUT.test(name)) && !isNamedSince(name, number),
      )
    // In a text that addresses agents, a plain word is enough.
    if (sort === 'effects') count(plainOf(args), (number) => addressed.has(number))
    const found = [...named]
      .filter(([number]) => sort === 'effects' || addressed.has(number) || leadsOut)
      .toSorted(([, a], [, b]) => b - a)
      .map(([number]) => texts.untrusted.get(number))
      .find((text) => text?.words.some((word) => verbNumbers.has(word) || commands.has(word)) === true)
    const share = found === undefined ? 0 : Math.min(1, (named.get(found.at) ?? 0) / Math.max(1, names.length))
    return { share, text: found }
  }

  /** The act of a command or a file. */
  const byNames = (act: Act): Asked => {
    const { names, verbs, programs } = act
    const saidVerb = isSaid(verbs) || isSaid(verbs.map((verb) => COVERS + verb)) || isSaid(programs)
    const { share, text } = textNaming(act, saidVerb)
    // A person who writes out the destination has asked for it.
    const addresses = names.filter((name) => name.includes('://') && !name.includes(' '))
    // So has a person who orders something for a file that they name: `allow the linter in .claude/settings.json`.
    const isNamed = [...(act.file ?? [])].some((name) =>
      [...texts.person.having(numberFor(name))].some((at) => isOrder(texts.person.get(at))),
    )
    const isPersons = saidVerb || isNamed || (addresses.length > 0 && addresses.every((address) => isSaid([address])))
    // A text that counts although the person used the verb was not meant by the person.
    return { saidVerb: saidVerb && text === undefined, isPersons, share, text }
  }

  return Object.freeze<AskedActs>({
    note: (by, text, source, isInjection) => {
      const read = readable(text.slice(0, LONGEST_TEXT))
      if (by === 'person') {
        const marks = [
          ...(delegates(read) ? [DELEGATES] : []),
          ...(assents(read) ? [ASSENTS] : []),
          ...(picks(read) ? [PICKS] : []),
          ...(asksForRelease(read) ? [RELEASES] : []),
        ]
        const words = [...marks, ...wordsOfRequest(read)]
        const parts = Array.from({ length: Math.ceil(words.length / MOST_WORDS) }, (_, part) =>
          words.slice(part * MOST_WORDS, (part + 1) * MOST_WORDS),
        )
        add(by, [...parts, ...prohibitionsIn(read).map(wordsOfProhibition)], undefined)
        return
      }
      add(by, actSentences(read, isInjection).slice(0, MOST_TEXTS.untrusted).map(withVerbs), source)
    },
    agree: ({ words, names, verbs }) => {
      if (words.length === 0) return
      const lifts = verbs.flatMap((verb) => [verb, LIFTS + verb])
      add('person', [[...lifts, ...names, ...withVerbs(words)]], undefined)
    },
    get isEmpty() {
      return texts.untrusted.size === 0 && texts.person.size === 0
    },
    authorityOf: (act, isPersons, isUntrusted = false) => {
      if (isForbidden(act)) return { by: 'forbidden' }
      const isAlone = !isUntrusted && texts.untrusted.size === 0
      if (act.words.length === 0 || act.sort === 'local' || (isAlone && texts.person.size === 0)) return undefined
      const asked = act.sort === 'outside' ? byWords(act) : byNames(act)
      if (asked.text !== undefined) {
        const source = asked.text.source
        return {
          by: isDelegated(asked.text, asked.saidVerb, isPersons) ? 'delegated' : 'stranger',
          share: rounded(asked.share),
          ...(source === undefined ? {} : { source: source.label }),
        }
      }
      if (act.sort === 'program' || act.sort === 'later') return undefined
      if (asked.isPersons) return { by: 'person', share: rounded(asked.share) }
      if (isOfDelegated(act)) return { by: 'delegated' }
      return isAlone ? undefined : { by: 'nobody' }
    },
    mayTell: (sort) =>
      sort === 'outside' ||
      sort === 'effects' ||
      ((sort === 'program' || sort === 'later') && texts.untrusted.size > 0) ||
      texts.person.having(numberFor(FORBIDS)).size > 0,
    says: ([first = [], ...others], last) => {
      const has = (words: readonly number[], group: readonly string[]): boolean =>
        group.some((word) => words.includes(numberFor(word)))
      const since = last === undefined ? 0 : (texts.person.oldestOf(last)?.at ?? 0)
      const places = first.flatMap((word) => [...texts.person.having(numberFor(word))]).filter((at) => at >= since)
      return places.some((at) => {
        const words = texts.person.get(at)?.words ?? []
        return !has(words, [FORBIDS]) && others.every((group) => has(words, group))
      })
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
