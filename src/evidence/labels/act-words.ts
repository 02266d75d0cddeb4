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
  'pay transfer send remit wire deposit withdraw invoice payment bill refund donate charge',
  'delete remove erase drop clear wipe purge destroy discontinue',
  'create add schedule set book reserve make register dispatch reschedule prescribe',
  'update change modify edit alter reset rename replace move label assign transition',
  'share send forward post email mail message notify publish announce answer reply respond',
  'unlock open disarm reopen',
  'lock close shut arm',
  'grant give allow invite permission access permit promote hire',
  'revoke demote fire ban',
  'disable deactivate stop suspend block switch turn',
  'enable activate start switch turn',
  'buy purchase order subscribe upgrade',
  'deploy release upload push merge ship',
  'run execute trigger launch restart reboot rerun',
  'revert rollback restore',
  'cancel terminate unsubscribe downgrade',
  'approve accept confirm sign submit',
  'reject decline refuse',
  'archive escalate vote rate follow star',
  'fill complete',
]

const ENDINGS = ['ation', 'tion', 'ment', 'ing', 'ies', 'ed', 'es', 's', 'er', 'ly', 'e', 'y']
const SHORTEST_STEM = 4

/** A word without the ending that its form gives it. */
const stem = (word: string): string => {
  if (word.endsWith('ss')) return word
  for (const ending of ENDINGS)
    if (word.endsWith(ending) && word.length - ending.length >= SHORTEST_STEM) return word.slice(0, -ending.length)
  return word
}

const familiesOf: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ...Map.groupBy(
      FAMILIES.flatMap((family) =>
        family.split(' ').map((word) => [stem(word), `:${family.split(' ', 1)[0]}`] as const),
      ),
      ([word]) => word,
    ),
  ].map(([word, rows]) => [word, rows.map(([, family]) => family)]),
)

/** Where a name in one word goes over into the next: `sendMail`, `SMSCode`, `send_mail`. */
const parted = (text: string): string =>
  text
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll('_', ' ')

const WORD = /[\p{L}\p{M}]{3,}|\d+(?:\.\d+)?/gu

const ASCII = /^[\0-\x7f]*$/

/** A text as it reads: wide and styled letters as plain ones, and nothing of what shows nothing. */
export const readable = (text: string): string =>
  ASCII.test(text) ? text : text.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')

const PARTING = /[\s"'`<>()[\]{},;|]+/
const EDGE = /[.:!?]{1,8}$/
const isAddress = (token: string): boolean => token.includes('@') || token.includes('://')

const wordsIn = (token: string): readonly string[] =>
  (parted(token).match(WORD) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => !SMALL.has(word))
    .map(stem)

/** The words of a text. An address is one word: a verb in it asks for nothing. */
export const actWords = (text: string): readonly string[] =>
  text.split(PARTING).flatMap((token) => (isAddress(token) ? [token.replace(EDGE, '').toLowerCase()] : wordsIn(token)))

/**
 * Beginnings of the same verbs in German, French, Spanish, Italian, Dutch and Portuguese, by the name of the family. Tools
 * have English names; people and pages do not.
 */
const ABROAD: Readonly<Record<string, string>> = {
  pay: 'überweis bezahl einzahl abheb virement payez règlez paga pague transfier transfir bonific betaal overmak overgemaakt stort',
  delete: 'lösch entfern supprim efface effacez elimin borra borre rimuov verwijder exclua excluir apagu apaga remova',
  create:
    'erstell anleg reservier registrier crée créer ajout réserv añad agreg crear creare criar prenot aggiung voeg reserveer adicion agend',
  update: 'änder aktualisier bearbeit ersetz modifi modific actualiz aggiorn cambia cambie wijzig alter atualiz',
  share:
    'schick weiterleit veröffentlich benachrichtig envoy partag transmet envia envía enviar envie reenvi compart invia inoltr condivid stuur verzend compartilh',
  unlock: 'öffn entsperr aufschließ ouvr déverrouill abre abrir desbloque apri sblocc ontgrendel abra',
  grant: 'gewähr erlaub einlad berechtig freigeb accord autoris conced otorg autorizz verleen convid',
  disable: 'deaktivier abschalt ausschalt désactiv desactiv disattiv blocc bloque blokkeer uitschakel desativ',
  enable: 'aktivier einschalt inschakel activeer activez attiva ative',
  buy: 'kauf bestell achet compra acquist koop bestel comprar',
  deploy: 'bereitstell hochlad déploy desplieg',
  run: 'ausführ führ exécut ejecut esegui executa execute',
  cancel: 'kündig stornier abbrech annul anul annuleer',
}

/** Beginnings by their first letters. */
const BEGINNING = 3
const abroad: ReadonlyMap<string, readonly (readonly [begins: string, family: string])[]> = Map.groupBy(
  Object.entries(ABROAD).flatMap(([family, words]) =>
    words.split(' ').map((word) => [stem(word), `:${family}`] as const),
  ),
  ([word]) => word.slice(0, BEGINNING),
)

const abroadOf = (word: string): readonly string[] =>
  abroad.get(word.slice(0, BEGINNING))?.flatMap(([begins, family]) => (word.startsWith(begins) ? [family] : [])) ?? []

/** What verbs of these words ask for; nothing where there is none that is known. */
export const verbsOf = (words: Iterable<string>): readonly string[] => [
  ...new Set([...words].flatMap((word) => familiesOf.get(word) ?? abroadOf(word))),
]

const listOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** What a person says who hands an act over to a text, and what they call the text or its words behind that. */
const HANDS_OVER = listOf(
  'follow do apply implement execute handle process action address resolve complete work carry fix solve tackle finish take go deal answer sort clean migrate triage erledige bearbeite tu mach löse arbeite fais traite haz resuelve doe fai esegui',
)
const TEXTS = listOf(
  'say says said ask asks asked instruct instructs instruction instructions step steps describe describes described request requests requested review comment comments ticket tickets task tasks issue issues list checklist todo todos runbook plan mail mails email emails inbox messages pages steht aufgabe aufgaben liste dit dice staat',
)
/** Before such a verb where it is an order, and behind it where it is a question. */
const OPENERS = listOf('please and then now just also ahead to you bitte und dann')
const ASKED_ABOUT = listOf('you we i they these those he she')
/** Behind `as` or `like`. */
const GIVEN = listOf('described requested asked instructed specified listed written')

/** Stands among the words of a message that hands an act over to a text. */
export const DELEGATES = ':delegates'

/** Whether a person's message hands an act over to a text: `do what the ticket says`, `as described there`. */
export const delegates = (message: string): boolean =>
  message
    .toLowerCase()
    .split(/[.!?\n]/)
    .some((sentence) => {
      const words = sentence.match(/\p{L}+-\d+|#\d+|\p{L}+/gu) ?? []
      const hands = words.findIndex(
        (word, at) =>
          HANDS_OVER.has(word) &&
          (at === 0 || OPENERS.has(words[at - 1] ?? '')) &&
          !ASKED_ABOUT.has(words[at + 1] ?? ''),
      )
      if (hands !== -1 && words.slice(hands + 1).some((word) => TEXTS.has(word) || /\d$/.test(word))) return true
      return words.some(
        (word, at) =>
          ((word === 'as' || word === 'like') && GIVEN.has(words[at + 1] ?? '')) ||
          (word === 'according' && words[at + 1] === 'to'),
      )
    })

/** Stands among the words of a message that agrees to what was just read or offered. */
export const ASSENTS = ':assents'

const ASSENT = listOf(
  'yes yep yeah ok okay sure agreed confirmed ja klar gerne oui accord vale sí claro bene certo sim goed',
)
/** `Do it.` */
const DOES_IT =
  /^(?:please |then |ok(?:ay)? |now )?(?:do (?:it|that|so)|go ahead|mach das|tu das|fais-le|hazlo|fallo|doe het)\b/i
const MOST_OF_ASSENT = 5

/** Whether a message says yes and hardly more. */
export const assents = (message: string): boolean => {
  const words = message.toLowerCase().match(/\p{L}+/gu) ?? []
  return words.length <= MOST_OF_ASSENT && (words.some((word) => ASSENT.has(word)) || DOES_IT.test(message.trim()))
}

const FORBIDS = listOf('not never without nicht kein keine keinen nie pas jamais nunca não niet geen')
const WONDERS = listOf('should shall may soll sollte')

/** What a message asks for: sentences that forbid, or wonder, ask for nothing. */
export const requestsIn = (message: string): string =>
  message
    .split(/(?<=[.!?\n])/)
    .filter((sentence) => {
      const words = sentence.toLowerCase().match(/\p{L}+(?:['’]\p{L}+)?/gu) ?? []
      return !words.some((word) => FORBIDS.has(word) || /n['’]t$/.test(word)) && !WONDERS.has(words[0] ?? '')
    })
    .join('')

/** Ends of sentences, and of members in the text of an object. */
const SENTENCE_END = /(?<=[.!?])\s{1,8}|\n|\\n|["'],\s{0,4}(?=["'][\w-]{1,40}["']:)|[{}]/

/** Words of one sentence; longer ones are read in parts. */
const MOST_WORDS = 64
/** A sentence that asks for something has a verb and two words more. */
const FEWEST_WORDS = 3

/** Words that may be verbs of an act: a sentence without one is not taken apart. */
const VERB = new RegExp(
  String.raw`(?<!\p{L})(?:${[...familiesOf.keys(), ...Object.values(ABROAD).flatMap((words) => words.split(' '))].join('|')})`,
  'iu',
)

/** The sentences of a text that have a verb of an act, as words. */
export const actSentences = (text: string): readonly (readonly string[])[] =>
  text.split(SENTENCE_END).flatMap((sentence) => {
    if (!VERB.test(sentence)) return []
    const words = actWords(sentence)
    return Array.from({ length: Math.ceil(words.length / MOST_WORDS) }, (_, part) =>
      words.slice(part * MOST_WORDS, (part + 1) * MOST_WORDS),
    ).filter((some) => some.length >= FEWEST_WORDS && verbsOf(some).length > 0)
  })

/** Patterns that go over whole texts, for the test that holds them to linear time. */
export const ACT_PATTERNS = { word: WORD, parting: PARTING, edge: EDGE, sentence: SENTENCE_END, verb: VERB }
