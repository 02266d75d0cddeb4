/** What asks for the guard, for a person's word or for care. */
const CARE =
  /\b(?:guard(?:rails?|ians?)?|sallyport|hooks?|permissions?(?: prompts?)?|confirmations?|confirm(?:ing)?|approvals?|refus(?:al|als|e|es)|polic(?:y|ies)|safety|security (?:checks?|warnings?)|sandbox|denied|denies|deny|blocked|warnings?)\b/i
/** What takes it away. */
const WITHOUT =
  /\b(?:disable|disabling|bypass|skip|ignore|switch(?:ed)? off|turn(?:ed)? off|circumvent|work around|get around|evade|remove|never (?:ask|mention|report|show)|(?:do not|don't|without) (?:ask|mention|tell|report|show|wait|confirm)\w*|pre-?approved|auto-?approve|approve (?:every|all|any)|base64|another way|instead run)\b/i
/** When it holds. */
const ALWAYS =
  /\b(?:always|from now on|whenever|every time|each time|in (?:all|every|future)|before (?:any|each|every)|after (?:any|each|every)|when(?:ever)? (?:the|a|any|you|deploying|asked|\w+ing)\b|if (?:the|a|any|you)\b|never|all commands)/i
/** Something of the person's that goes somewhere. */
const SENDS =
  /\b(?:send|post|upload|forward|copy|cc|bcc|report|submit|push|transmit|share|include)\b[^.\n]{0,160}(?:https?:\/\/|\b[\w.+-]{1,64}@[\w-]{1,63}\.[a-z])/i
/** That nobody is to hear of it. */
const SECRETLY =
  /\b(?:(?:do not|don't|never) (?:mention|tell|inform|show|report|reveal|disclose)|without (?:telling|mentioning|informing|asking)|secretly|silently|quietly)\b/i

/** Longest text that is read, and lines of it. */
const LONGEST = 20_000
const MOST_LINES = 400

const isOrder = (line: string): boolean =>
  (WITHOUT.test(line) && CARE.test(line) && (ALWAYS.test(line) || /\bpre-?approved\b/i.test(line))) ||
  (SENDS.test(line) && (ALWAYS.test(line) || SECRETLY.test(line)))

/**
 * Whether a text that an agent will follow later takes care away from it: it is to go round the guard or its person's
 * word, or to send away what it works with.
 */
export const ordersAgainstCare = (text: string): boolean =>
  text
    .slice(0, LONGEST)
    .split('\n', MOST_LINES)
    .some((line) => isOrder(line))
