/** Words that must follow one another within a sentence; a gap holds at most `gap` characters. */
interface Cue {
  readonly name: string
  readonly steps: readonly RegExp[]
  readonly gap: number
}

/** Signs that a text is written for a model to obey, not for people to read. */
const CUES: readonly Cue[] = [
  {
    name: 'sets orders aside',
    steps: [
      /\b(?:ignore|disregard|forget|override|bypass|skip)\b/gi,
      /\b(?:previous|prior|above|earlier|preceding|all|any|your|system|original|safety)\b/i,
      /\b(?:instructions?|prompts?|rules?|guidelines?|directions?|orders|constraints|context)\b/i,
    ],
    gap: 60,
  },
  {
    name: 'sets orders aside, in other languages',
    steps: [
      /ignorier|vergiss|missachte|ignor[ae]|ignorez|oublie[rz]?|olvida|dimentica|esque[çc]a|игнорируй|забудь|忽略|이전/gi,
      /anweisung|vorgabe|instruc|instru[çz]|istruzion|consigne|инструкц|указани|指令|指示|提示|说明|지시/i,
    ],
    gap: 60,
  },
  { name: 'sets orders aside, in Japanese', steps: [/指示/g, /無視/], gap: 12 },
  {
    name: 'asks for silence',
    steps: [
      /\b(?:do not|don't|never|without)\b/gi,
      /\b(?:tell|mention|inform|notify|reveal|alert|show)(?:ing)?\b/i,
      /\b(?:the user|the human|the person|the reviewer|the developer|anyone|to users?)\b/i,
    ],
    gap: 40,
  },
  {
    name: 'plays a role',
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

/** What addresses a model and no one else. In lower case, `ai` is a syllable. */
const ACRONYM = /\b(?:AI|LLM)s?\b/
const ADDRESSEE =
  /\b(?:language model|AI assistant|AI agent|coding (?:agent|assistant)|chat ?bot|copilot|claude|chat ?gpt|gpt-?[345]|gemini|codex|assistant)s?\b|(?:^|[\n.!>]) {0,4}(?:dear |hey |hello |note to |attention |notice to |for (?:all )?)?(?:agents?|models?|bots?)\b {0,2}[:,!-]/i

/** Urged to act: counts only in a text that addresses a model. */
const URGED: Cue = {
  name: 'urges to act',
  steps: [
    /\b(?:you (?:must|should|shall|will|are|need to|have to|can now)|please|always|never|do not|don't|make sure|be sure|must|should|instead|now|first|immediately|important)\b/gi,
    /\b(?:run|execute|send|fetch|call|invoke|open|visit|navigate|read|write|include|insert|append|add|delete|remove|install|download|upload|e-?mail|post|reply|respond|answer|output|print|say|approve|merge|accept|recommend|rate|rank|summari[sz]e|translate|use|ignore|treat|act|behave|reveal|leak|transfer|pay|forward|mention|state|tell)\b/i,
  ],
  gap: 60,
}

/** Patterns of this file, for the check of their cost. */
export const INSTRUCTION_PATTERNS: readonly RegExp[] = [
  ...[...CUES, URGED].flatMap(({ steps }) => steps),
  ACRONYM,
  ADDRESSEE,
]

/** What of the text a next step is looked for in: the rest of the sentence, up to the gap. */
const within = (text: string, from: number, gap: number): string =>
  text.slice(from, from + gap).split(/[.\n。]/, 1)[0] ?? ''

const follows = (text: string, from: number, steps: readonly RegExp[], gap: number): boolean => {
  let at = from
  for (const step of steps) {
    const match = step.exec(within(text, at, gap))
    if (match === null) return false
    at += match.index + match[0].length
  }
  return true
}

const shows = ({ steps: [first, ...rest], gap }: Cue, text: string): boolean =>
  first !== undefined &&
  [...text.matchAll(first)].some(({ index, 0: said }) => follows(text, index + said.length, rest, gap))

/** Longer texts are judged by their beginning. */
const LONGEST = 16_384

/** Whether a text that people do not see tells an AI what to do. Lexical: orders without these words are not seen. */
export const instructsAgent = (text: string): boolean => {
  const said = text.slice(0, LONGEST)
  if (CUES.some((cue) => shows(cue, said))) return true
  return (ACRONYM.test(said) || ADDRESSEE.test(said)) && shows(URGED, said)
}
