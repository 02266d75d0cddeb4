import type { Match } from '../detector.ts'
import { decodeBase64 } from '../views/base64.ts'
import { isPlaceholder } from './placeholder.ts'

/** Largest distance between the kind of a manifest and its data. */
const REACH = 16_384

const KIND = /kind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret(?![A-Za-z])/y
/** One member of the data: its name, and its value in base64. */
const MEMBER =
  /[\s,]{0,80}["']?([A-Za-z0-9._-]{1,253})["']?[ \t]{0,4}:[ \t]{0,4}["']?([A-Za-z0-9+/]{4,16384}={0,2})(?=["'\s,}]|$)/y
const DATA = /(?:^|[\n{,])([ \t]{0,40})["']?(d|stringD)ata["']?[ \t]{0,4}:[ \t]{0,4}(?:\{|(?=\r?\n))/g
/** One member of `stringData`, which is plain text: in quotes, or to the end of the line; blocks are skipped. */
const PLAIN_MEMBER =
  /[\s,]{0,80}["']?([A-Za-z0-9._-]{1,253})["']?[ \t]{0,4}:[ \t]{0,4}["']?([^\s"'{}|>,\\][^\r\n"',}]{0,1024})(?=["',}\r\n]|$)/y

/** Members that are stored with secrets but are not secret. */
const HARMLESS =
  /^(?:user(?:name)?|host(?:name)?|port|namespace|e?mail|url|uri|endpoint|region|database|db[_-]?name|.{0,64}\.crt|.{0,64}\.pub)$/i

const isSecretValue = (name: string, value: string, isPlain: boolean): boolean => {
  if (HARMLESS.test(name)) return false
  const decoded = isPlain ? value : decodeBase64(value)
  return (
    decoded !== undefined &&
    !(isPlain && /^(?:true|false|null|\d{1,5})$/.test(value)) &&
    decoded.trim().length >= 4 &&
    !decoded.startsWith('-----BEGIN CERTIFICATE') &&
    !isPlaceholder(decoded.trim())
  )
}

/** The manifest around its kind: between two lines of dashes. */
const manifestAround = (text: string, at: number): readonly [from: number, to: number] => {
  const low = Math.max(0, at - REACH)
  const start = text.slice(low, at).lastIndexOf('\n---')
  const high = text.slice(at, at + REACH)
  const end = high.indexOf('\n---')
  return [start === -1 ? low : low + start + 4, end === -1 ? at + high.length : at + end]
}

const membersIn = (
  text: string,
  [from, to]: readonly [number, number],
  indent: number,
  isPlain: boolean,
): readonly Match[] => {
  const found: Match[] = []
  const member = new RegExp(isPlain ? PLAIN_MEMBER : MEMBER)
  member.lastIndex = from
  for (let match = member.exec(text); match !== null && member.lastIndex <= to; match = member.exec(text)) {
    const [whole, name = '', value = ''] = match
    // In YAML a member with at most the indentation of `data` ends the block.
    const line = /\n([ \t]*)["']?[A-Za-z0-9._-]*["']?[ \t]*:/.exec(whole)
    if (line !== null && (line[1] ?? '').length <= indent && indent >= 0) break
    const end = match.index + whole.length
    const at = { start: end - value.length, end }
    if (isSecretValue(name, value, isPlain)) {
      found.push({ category: 'secret', type: 'kubernetes-secret', severity: 'high', confidence: 0.85, ...at })
    }
    while (member.lastIndex < to && /["']/.test(text.charAt(member.lastIndex))) member.lastIndex++
  }
  return found
}

/** The values in manifests of Kubernetes secrets (YAML and JSON), which are in base64 but not encrypted. */
export const findKubernetesSecrets = (text: string): readonly Match[] => {
  const first = text.indexOf('kind')
  if (first === -1) return []
  const found: Match[] = []
  const kind = new RegExp(KIND)
  let seen = 0
  for (let at = first; at !== -1; at = text.indexOf('kind', at + 4)) {
    kind.lastIndex = at
    if (at < seen || !kind.test(text)) continue
    const [from, to] = manifestAround(text, at)
    const start = Math.max(from, seen)
    seen = to
    const data = new RegExp(DATA)
    const manifest = text.slice(start, to)
    for (let match = data.exec(manifest); match !== null; match = data.exec(manifest)) {
      const isYaml = !match[0].endsWith('{')
      found.push(
        ...membersIn(text, [start + data.lastIndex, to], isYaml ? (match[1] ?? '').length : -1, match[2] !== 'd'),
      )
    }
  }
  return found
}
