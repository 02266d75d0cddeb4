/** Words for the guard, for a person's consent, and for care. */
const CARE =
  /\b(?:guard(?:rails?|ians?)?|sallyport|hooks?|permissions?(?: prompts?)?|confirmations?|confirm(?:ing)?|approvals?|refus(?:al|als|e|es)|polic(?:y|ies)|safety|security (?:checks?|warnings?)|sandbox|denied|denies|deny|blocked|warnings?)\b/i
/** Words for bypassing these. */
const WITHOUT =
  /\b(?:disable|disabling|bypass|skip|ignore|switch(?:ed)? off|turn(?:ed)? off|circumvent|work around|get around|evade|remove|never (?:ask|mention|report|show)|(?:do not|don't|without) (?:ask|mention|tell|report|show|wait|confirm)\w*|pre-?approved|auto-?approve|approve (?:every|all|any)|base64|another way|instead run)\b/i
/** When the instruction applies. */
const ALWAYS =
  /\b(?:always|from now on|whenever|every time|each time|in (?:all|every|future)|(?:before|after) (?:any|each|every|\w+ing)|when(?:ever)? (?:the|a|any|you|deploying|asked|\w+ing)\b|if (?:the|a|any|you)\b|never|all commands)/i
/** Private data of the person that is sent somewhere. */
const SENDS = /\b(?:send|post|upload|forward|copy|cc|bcc|report|submit|push|transmit|share|include)\b/i
const PLACE = /https?:\/\/|[\w.+-]@[\w-]{1,63}\.[a-z]/i

/** Whether a line names a place after a verb of sending. */
const sendsAway = (line: string): boolean => {
  const verb = line.search(SENDS)
  return verb >= 0 && line.slice(verb).search(PLACE) >= 0
}

/** Demands secrecy. */
const SECRETLY =
  /\b(?:(?:do not|don't|never) (?:mention|tell|inform|show|report|reveal|disclose)|without (?:telling|mentioning|informing|asking)|secretly|silently|quietly)\b/i

/** Longest text that is read, and lines of it. */
const LONGEST = 20_000
const MOST_LINES = 400

/** Words that forbid bypassing them. */
const FORBIDS =
  /\b(?:never|(?:do|must|should|may|can|shall|will) ?not|don't|mustn't|can't|cannot|avoid|without) (?:(?:ever|try to|attempt to|simply) )?(?:disabl|bypass|skip|ignor|switch|turn|circumvent|work|get|evad|remov|auto-?approv)\w*/gi

const isOrder = (written: string): boolean => {
  const line = written.replace(FORBIDS, '')
  return (
    (WITHOUT.test(line) && CARE.test(line) && (ALWAYS.test(line) || /\bpre-?approved\b/i.test(line))) ||
    (sendsAway(line) && (ALWAYS.test(line) || SECRETLY.test(line)))
  )
}

/**
 * Whether a text that an agent will follow later makes it less careful: it is to bypass the guard or the person's
 * consent, or to send away its data.
 */
export const ordersAgainstCare = (text: string): boolean =>
  text
    .slice(0, LONGEST)
    .split('\n', MOST_LINES)
    .some((line) => isOrder(line))

/** Files whose text agents follow. */
const INSTRUCTIONS =
  /(?:^|\/)(?:(?:agents|claude|gemini|claude\.local|conventions|copilot-instructions|warp|soul|skill)\.md|\.(?:cursorrules|windsurfrules|clinerules|goosehints|aider\.conf\.yml)|\.(?:cursor|windsurf|clinerules|roo|kiro|continue|junie)\/.*\.(?:mdc?|txt)|\.github\/(?:instructions|prompts|chatmodes|agents)\/.*\.md|\.(?:claude|codex|gemini|opencode|openclaw[^/]*)\/.*\.md|memory\/[^/]*\.md)$/i

/** Whether agents follow the text of a file. */
export const isInstructionFile = (path: string): boolean => INSTRUCTIONS.test(path)

/** Settings of the guard, of scanners for secrets and dangers, and of checks before a commit. */
const CHECKS =
  /(?:^|\/)(?:sallyport\.ya?ml|\.?(?:gitleaks|trufflehog|secretlintrc?|semgrep|snyk|trivy|checkov|bandit|tfsec|kics|detect-secrets|ggshield|gitguardian|talisman(?:rc)?|clamd|falco\w*|codeql-config|dependabot|osv-scanner|grype|hadolint|zap)(?:ignore)?(?:\.[\w.]{1,20})?|\.secrets\.baseline|\.(?:semgrep|trivy|snyk|gitleaks)ignore)$/i
/** What makes them find nothing: a path or pattern that matches everything, or a switch. */
const FINDS_NOTHING =
  /^\s*(?:mode\s*:\s*["']?(?:observe|off)\b|guardians\s*:\s*\[\s*\]|(?:enabled|usedefault)\s*[:=]\s*false\b|(?:disabled|skip[-_]?all|exit[-_]?zero)\s*[:=]\s*true\b|exit[-_]?code\s*[:=]\s*0\b|(?:default|severity)\s*:\s*off\b|\*{1,2}(?:\/\*{1,2})?\s*$)|(?:paths?|regexes|allow\w*|ignore\w*|exclude\w*|skip\w*|files)["']?\s*[:=]\s*\[?\s*(?:'{1,3}|"{1,3})?(?:\.\*|\*{1,2}(?:\/\*{1,2})?)["'\],\s]*$/im

/** Whether a text for the settings of a check makes it find nothing. */
export const silencesCheck = (path: string, text: string): boolean =>
  CHECKS.test(path) && FINDS_NOTHING.test(text.slice(0, LONGEST))
