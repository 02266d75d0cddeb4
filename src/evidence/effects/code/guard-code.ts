import type { Target } from '../../../protocol/evidence.ts'
import type { PathTarget } from '../places/paths.ts'
import type { Reading } from './reading.ts'
import type { Token } from './tokens.ts'

const FOLDS: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '^': (left, right) => left ^ right,
}

const numberAt = (tokens: readonly Token[], at: number): number => {
  const token = tokens[at]
  const isNumber = token?.type === 'number' || (token?.type === 'string' && /^\d{1,5}$/.test(token.text))
  return isNumber ? Number(token.text.replaceAll('_', '')) : Number.NaN
}

/** Numbers in code, and the results of two adjacent ones. */
const numbersIn = (tokens: readonly Token[]): readonly number[] =>
  tokens.flatMap((token, at) => {
    const left = numberAt(tokens, at)
    if (Number.isNaN(left)) return []
    const sign = tokens[at + 1]?.type === 'punct' ? (tokens[at + 1]?.text ?? '') : ''
    const fold = Object.hasOwn(FOLDS, sign) ? FOLDS[sign] : undefined
    const right = numberAt(tokens, at + 2)
    return fold === undefined || Number.isNaN(right) ? [left] : [left, fold(left, right)]
  })

const isGuardPort = ({ frame }: Reading, port: number): boolean =>
  Number.isInteger(port) && port > 0 && frame.engine.guard.addresses.covers(String(port))

/** Whether the numbers of an expression, or two that make a range, take in a port of the guard. */
export const hasGuardPort = (reading: Reading, tokens: readonly Token[]): boolean =>
  numbersIn(tokens).some((number) => isGuardPort(reading, number))

const tamper = ({ frame, place, by }: Reading, targets: readonly Target[] = []): void =>
  frame.engine.emit({ kind: 'guard.tamper', by, targets }, place)

const isPort = (token: Token | undefined): boolean => token?.type === 'name' && /port$/i.test(token.text)

/** `port=4775`, `{ port: 4700 + 75 }`: the guard listens there, for any use of the number. */
const givesPort = (reading: Reading, tokens: readonly Token[]): boolean =>
  tokens.some((token, at) => {
    const sign = tokens[at + 1]
    const quoted = token.type === 'string' && /^(?:\w*_)?port$/i.test(token.text)
    if ((!isPort(token) && !quoted) || sign?.type !== 'punct') return false
    const from = sign.text === '=' && tokens[at + 2]?.text === '>' ? at + 3 : at + 2
    return /^[=:,]$/.test(sign.text) && hasGuardPort(reading, tokens.slice(from, from + 3))
  })

/** `range(4700, 4800)`, `4700..4800`, `for (let p = 4700; p < 4800; p++)`. */
const hasRange = (reading: Reading, tokens: readonly Token[]): boolean => {
  const { addresses } = reading.frame.engine.guard
  const numbers = tokens.flatMap((_, at) => {
    const number = numberAt(tokens, at)
    return Number.isInteger(number) ? [number] : []
  })
  return numbers.some((from, at) => {
    const to = numbers[at + 1]
    return to !== undefined && from > 0 && to > from && to <= 65_536 && addresses.covers(`${from}-${to - 1}`)
  })
}

const SDK =
  /claude-agent-sdk|claude_agent_sdk|claude-code-sdk|claude_code_sdk|@anthropic-ai\/claude-code|@openai\/codex-sdk/
const STARTS = /\b(?:query|ClaudeSDKClient|ClaudeAgent|unstable_v2_\w+|startThread|Codex)\s*\(/

/** A word of a path of the guard, in a literal that may be all of the path or its end. */
const LONGEST_PATH = 300

/** Secrets and databases of the guard that code names by a literal, for any use. */
const emitNamedSecrets = ({ frame, place, by }: Reading, tokens: readonly Token[]): void => {
  const { guard, paths } = frame.engine
  const met = tokens.flatMap(({ type, text }) => {
    if (type !== 'string' || text.length > LONGEST_PATH || !text.includes('/') || /\s/.test(text)) return []
    const path = text.replace(/^file:(?:\/\/)?([^?]*).*$/, '$1').replace(/^(?:~|\$\{?HOME\}?)(?=\/)/, paths.home)
    if (!path.startsWith('/')) return []
    const target = paths.resolve(path, paths.cwd, 'content')
    // After a folder that the code prepends.
    const ends: PathTarget = { ...target, zone: 'unresolved' }
    return [...guard.secretsAt(target, false), ...guard.secretsAt(ends, false)].slice(0, 1)
  })
  if (met.length > 0) frame.engine.emit({ kind: 'secret.read', by, targets: met, traits: ['inline-code'] }, place)
}

/** Functions that end a process by its number. */
const ENDS_PROCESS = /\b(?:kill|posix_kill|killpg|pidfd_send_signal|TerminateProcess)\b/
/** Puts characters into a terminal as if a person typed them. */
const TYPES_INTO = /\bTIOCSTI\b|\bioctl\s*\([^)]{0,80}(?:0x5412|21522)\b/i

/** Libraries that list processes, and what ends one. */
const PROCESSES = /\b(?:psutil|ps-list|find-process|fkill|tree-kill|pidusage|sys-proctable|Proc::ProcessTable)\b/
const ENDS = /\b(?:kill|terminate|suspend|send_signal|fkill)\s*\(/

/**
 * Emits what code does to the guard across several calls: a computed port, a scan of ports, an agent started without
 * settings and so without hooks.
 */
export const emitGuardCode = (reading: Reading, tokens: readonly Token[]): void => {
  const { frame, place, by, seen, text } = reading
  const { guard } = frame.engine
  const { addresses } = guard
  const speaks = seen.openPort && (hasGuardPort(reading, tokens) || hasRange(reading, tokens))
  if (speaks || (addresses.named(text) && givesPort(reading, tokens))) tamper(reading)
  if (
    ENDS_PROCESS.test(text) &&
    tokens.some((token) => token.type === 'number' && guard.program.isPid(Number(token.text)))
  )
    tamper(reading)
  if (TYPES_INTO.test(text)) tamper(reading, [{ type: 'resource', name: 'terminal' }])
  if (/sallyport|token|\.(?:db|key|pem)/i.test(text)) emitNamedSecrets(reading, tokens)
  if (PROCESSES.test(text) && ENDS.test(text) && frame.engine.guard.isSpokenOf(text)) tamper(reading)
  if (SDK.test(text) && STARTS.test(text)) {
    frame.engine.emit({ kind: 'agent.start', by, targets: [{ type: 'resource', name: 'agent SDK' }] }, place)
    // A person's own program on disk may load the settings by a way that is not seen here.
    if (place.onDisk === true) frame.engine.gap('runner', 'an agent that is started by its SDK', by, place)
    else tamper(reading, [{ type: 'resource', name: 'agent SDK' }])
  }
}
