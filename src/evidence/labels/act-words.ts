/**
 * Words of calls and of what people write, in the form in which they are compared: without their endings, and verbs of
 * one meaning as one word.
 */

/** Words that say nothing of an act. */
const SMALL = new Set(
  'the and for with from are was this that these those you your our please can could would will into about all any not have has had its their them his her out via then than also but need want like just now let'.split(
    ' ',
  ),
)

/** Verbs that ask for the same, by what is asked for. The first gives the name. */
const FAMILIES: readonly string[] = [
  'pay transfer send remit wire deposit withdraw invoice payment bill',
  'delete remove erase drop clear wipe purge destroy',
  'create add schedule set book reserve make register dispatch',
  'update change modify edit alter reset rename replace',
  'share send forward post email mail message notify publish announce',
  'unlock open',
  'grant give allow invite permission access permit',
  'disable deactivate stop suspend block',
  'enable activate start',
  'buy purchase order',
  'deploy release upload push merge ship',
  'run execute trigger launch',
  'cancel terminate',
  'fill complete',
]

const ENDINGS = ['ation', 'tion', 'ment', 'ing', 'ies', 'ed', 'es', 's', 'er', 'ly', 'e', 'y']
const SHORTEST_STEM = 4

/** A word without the ending that its form gives it. */
const stem = (word: string): string => {
  for (const ending of ENDINGS)
    if (word.endsWith(ending) && word.length - ending.length >= SHORTEST_STEM) return word.slice(0, -ending.length)
  return word
}

const familiesOf: ReadonlyMap<string, readonly string[]> = new Map(
  [...Map.groupBy(
    FAMILIES.flatMap((family) => family.split(' ').map((word) => [stem(word), `:${family.split(' ', 1)[0]}`] as const)),
    ([word]) => word,
  )].map(([word, rows]) => [word, rows.map(([, family]) => family)]),
)

/** Where a name in one word goes over into the next: `sendMail`, `SMSCode`, `send_mail`. */
const parted = (text: string): string =>
  text.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2').replaceAll('_', ' ')

const WORD = /[\p{L}\p{M}]{3,}|\d+(?:\.\d+)?/gu

/** Longer texts are contents, not what tells an act from another. */
const LONGEST = 4_096

/** The words of a text. */
export const actWords = (text: string): readonly string[] =>
  (parted(text.slice(0, LONGEST)).match(WORD) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => !SMALL.has(word))
    .map(stem)

/** What verbs of these words ask for; nothing where there is none that is known. */
export const verbsOf = (words: Iterable<string>): readonly string[] => [
  ...new Set([...words].flatMap((word) => familiesOf.get(word) ?? [])),
]

/** A person hands an act over to a text: what it says is to be done. Within a sentence, each part bounded. */
const DELEGATION =
  /\b(?:follow|do|apply|implement|carry out|execute|handle|process|work through|action|address|resolve|complete)\b[^.!?\n]{0,60}\b(?:say|says|said|ask|asks|asked|instruct|instructs|instructions?|steps?|describes?|described|requests?|requested|review|comments?|tickets?|tasks?|issues?|list|todos?|runbook|plan)\b|\b(?:as|like) (?:described|requested|asked|instructed|specified|listed|written)\b|\baccording to\b|\bper the\b/i

/** Stands among the words of a message that hands an act over to a text. */
export const DELEGATES = ':delegates'

/** Whether a person's message hands an act over to a text. */
export const delegates = (message: string): boolean => DELEGATION.test(message.slice(0, LONGEST))

/** Patterns that go over whole texts, for the test that holds them to linear time. */
export const ACT_PATTERNS = { delegation: DELEGATION }

/** Ends of sentences, and of members in the text of an object. */
const SENTENCE_END = /(?<=[.!?])\s{1,8}|\n|\\n|["'],\s{0,4}(?=["'][\w-]{1,40}["']:)|[{}]/

/** Words of one sentence; longer ones are read in parts. */
const MOST_WORDS = 64

/** The sentences of a text, as words. */
export const actSentences = (text: string): readonly (readonly string[])[] =>
  text.split(SENTENCE_END).flatMap((sentence) => {
    const words = actWords(sentence)
    return Array.from({ length: Math.ceil(words.length / MOST_WORDS) }, (_, part) =>
      words.slice(part * MOST_WORDS, (part + 1) * MOST_WORDS),
    )
  })
