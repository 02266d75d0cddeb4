/** Words in sequence within a sentence, with gaps of at most `gap` characters. */
interface Cue {
  readonly name: string
  readonly steps: readonly RegExp[]
  readonly gap: number
  /** The sequence may span several sentences. */
  readonly across?: true
}

/** Signs of a text that is written for a model to obey, not for people to read. */
const CUES: readonly Cue[] = [
  {
    name: 'overrides orders',
    steps: [
      /\b(?:ignore|disregard|forget|override|bypass|skip)\b/gi,
      /\b(?:previous|prior|above|earlier|preceding|all|any|your|system|original|safety)\b/i,
      /\b(?:instructions?|prompts?|rules?|guidelines?|directions?|orders|constraints|context)\b/i,
    ],
    gap: 60,
  },
  {
    name: 'overrides orders, in other languages',
    steps: [
      /ignorier|vergiss|missachte|ignor[ae]|ignorez|oublie[rz]?|olvida|dimentica|esque[çc]a|игнорируй|забудь|忽略|이전/gi,
      /anweisung|vorgabe|instruc|instru[çz]|istruzion|consigne|инструкц|указани|指令|指示|提示|说明|지시/i,
    ],
    gap: 60,
  },
  { name: 'overrides orders, in Japanese', steps: [/指示/g, /無視/], gap: 12 },
  {
    name: 'demands secrecy',
    steps: [
      /\b(?:do not|don't|never|without)\b/gi,
      /\b(?:tell|mention|inform|notify|reveal|alert|show)(?:ing)?\b/i,
      /\b(?:the user|the human|the person|the reviewer|the developer|anyone|to users?)\b/i,
    ],
    gap: 40,
  },
  {
    name: 'marks a role',
    steps: [/<\|(?:im_start|system|user|assistant|endoftext)\|?>|\[\/?INST\]|<<SYS>>/g],
    gap: 0,
  },
  {
    name: 'gives new orders',
    steps: [
      /\b(?:new|updated|hidden|secret|real|actual) (?:system )?(?:instructions?|prompt|orders)\b {0,2}(?::|are\b|is\b|-)/gi,
    ],
    gap: 0,
  },
]

const ACTION =
  /\b(?:run|execute|send|fetch|call|invoke|open|visit|navigate|read|write|include|insert|append|add|delete|remove|install|download|upload|e-?mail|post|reply|respond|answer|output|print|say|approve|merge|accept|recommend|rate|rank|summari[sz]e|translate|use|ignore|treat|act|behave|reveal|leak|transfer|pay|forward|mention|state|tell)\b/i

/** Words that address only a model, followed by an order. In lower case, `ai` is a syllable. */
const ADDRESSED: readonly Cue[] = [
  {
    name: 'gives an order to an AI',
    steps: [
      /\b(?:AI|LLM)s?\b(?: (?:agents?|assistants?|models?|systems?|bots?|reviewers?|crawlers?))?(?: {0,2}[:,!](?= )| (?:must|should|shall|please|reading|that reads?|processing)\b)|\b(?:are|as|by) (?:an? )?(?:AI|LLM)\b(?!-)/g,
      ACTION,
    ],
    gap: 120,
    across: true,
  },
  {
    name: 'gives an order to a model by name',
    steps: [
      /\b(?:language models?|coding (?:agent|assistant)s?|chat ?bots?|copilot|claude|chat ?gpt|gpt-?[345]|gemini|codex|assistants?) (?:must|should|shall|please)\b|\b(?:you are|as) an? (?:language model|coding agent|coding assistant|assistant|chat ?bot)\b|(?:^|[\n.!>]) {0,4}(?:dear |hey |hello |note to |attention |notice to |for (?:all )?|to (?:all )?)?(?:language models?|coding (?:agent|assistant)s?|chat ?bots?|copilot|claude|chat ?gpt|gpt-?[345]|gemini|codex|assistants?|agents?|models?|bots?)\b {0,2}[:,!-]/gi,
      ACTION,
    ],
    gap: 120,
    across: true,
  },
  {
    name: 'claims to be the system',
    steps: [/(?:^|\n) {0,4}SYSTEM(?: (?:PROMPT|MESSAGE|NOTE))?:/g, ACTION],
    gap: 120,
    across: true,
  },
  {
    name: 'sets a condition',
    steps: [
      /\b(?:before (?:doing anything|you (?:answer|continue|do)|answering|continuing|proceeding)|when(?:ever)? (?:you (?:summari[sz]e|read|process|answer|review)|summari[sz]ing|processing|answering|asked about)|if you (?:summari[sz]e|are summari[sz]ing|are reviewing))\b/gi,
      ACTION,
    ],
    gap: 80,
  },
]

/** Patterns of this file, for the test of their cost. */
export const INSTRUCTION_PATTERNS: readonly RegExp[] = [...CUES, ...ADDRESSED].flatMap(({ steps }) => steps)

/** The text for the next word: the rest of the sentence, or of several, up to the gap. */
const within = (text: string, from: number, { gap, across }: Cue): string => {
  const next = text.slice(from, from + gap)
  return across === true ? next : (next.split(/[.\n。]/, 1)[0] ?? '')
}

const follows = (text: string, from: number, steps: readonly RegExp[], cue: Cue): boolean => {
  let at = from
  for (const step of steps) {
    const match = step.exec(within(text, at, cue))
    if (match === null) return false
    at += match.index + match[0].length
  }
  return true
}

const matchesCue = (cue: Cue, text: string): boolean => {
  const [first, ...rest] = cue.steps
  return (
    first !== undefined &&
    text.search(first) !== -1 &&
    [...text.matchAll(first)].some(({ index, 0: match }) => follows(text, index + match.length, rest, cue))
  )
}

/** Shorter texts are not orders. */
const SHORTEST = 10
/** Longer texts are evaluated by their beginning. */
const LONGEST = 16_384

/** Whether invisible text instructs an AI. Lexical: orders without these words are not found. */
export const instructsAgent = (text: string): boolean => {
  if (text.length < SHORTEST) return false
  const excerpt = text.slice(0, LONGEST)
  return CUES.some((cue) => matchesCue(cue, excerpt)) || ADDRESSED.some((cue) => matchesCue(cue, excerpt))
}
