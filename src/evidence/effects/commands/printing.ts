import { textOf, visible } from '../shell/field.ts'
import {
  EMPTY,
  MAX_TEXTS,
  type Value,
  WITHOUT_END,
  concat,
  known,
  mapTexts,
  mergeFlow,
  rangeMark,
  unknown,
  withFlow,
} from '../value.ts'
import type { Call, CommandRow } from './command.ts'

/** Text of a format with its escapes; arguments put in for `%s` and the like, the format repeated as needed. */
const formatted = (format: string, args: readonly Value[]): Value => {
  const pieces = format.split(/(%%|%[-+ #0]*\d*(?:\.\d+)?[sbdiouxXcqef])/)
  const slots = pieces.filter((piece) => piece.startsWith('%') && piece !== '%%').length
  const rounds = slots === 0 ? 1 : Math.max(1, Math.min(24, Math.ceil(args.length / slots)))
  let at = 0
  let result: Value = EMPTY
  for (let round = 0; round < rounds; round++)
    for (const piece of pieces) {
      if (piece === '%%') result = concat(result, known('%'))
      else if (piece.startsWith('%')) result = concat(result, args[at++] ?? EMPTY)
      else result = concat(result, known(escapes(piece)))
    }
  return result
}

const escapes = (text: string): string =>
  text.replace(
    /\\(?:x([0-9a-f]{1,2})|0?([0-7]{1,3})|u([0-9a-f]{4})|([abefnrtv\\"']))/gi,
    (whole, hex?: string, octal?: string, unicode?: string, char?: string) => {
      if (hex ?? unicode) return String.fromCharCode(Number.parseInt(hex ?? unicode ?? '', 16))
      if (octal) return String.fromCharCode(Number.parseInt(octal, 8) & 255)
      return (
        { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'", a: '', b: '', e: '\u001b', f: '\f', v: '\v' }[
          char ?? ''
        ] ?? whole
      )
    },
  )

const HIDDEN = /\\(?:x[0-9a-f]|0?[0-7]{2,3}|u[0-9a-f]{4})/i

const echo = (call: Call): Value => {
  let args = call.args
  let interpret = false
  while (args[0] && /^-[neE]+$/.test(visible(args[0]))) {
    interpret ||= visible(args[0]).includes('e')
    args = args.slice(1)
  }
  const value = args.reduce<Value>(
    (all, field, at) => (at === 0 ? field : concat(concat(all, known(' ')), field)),
    EMPTY,
  )
  const hidden = interpret && value.texts.some((text) => HIDDEN.test(text))
  const plain = interpret ? mapTexts(value, escapes) : value
  return withFlow(concat(plain, known('\n')), { decoded: hidden })
}

const printf = (call: Call): Value => {
  const args = textOf(call.args[0]) === '--' ? call.args.slice(1) : call.args
  if (textOf(args[0]) === '-v') {
    const name = textOf(args[1])
    if (name !== undefined) call.state.vars.set(name, formatted(textOf(args[2]) ?? '', args.slice(3)))
    return EMPTY
  }
  const format = textOf(args[0])
  if (format === undefined) return withFlow(unknown(), args[0]?.flow ?? {})
  const flow = mergeFlow(args[0]?.flow ?? EMPTY.flow, { ...EMPTY.flow, decoded: HIDDEN.test(format) })
  return withFlow(formatted(format, args.slice(1)), flow)
}

/** Numbers that are too many to be followed one by one are a range. */
const sequence = (call: Call): Value => {
  const numbers = call.options.operands.map((field) => Number(textOf(field) ?? Number.NaN))
  if (numbers.length === 0 || !numbers.every(Number.isSafeInteger)) return unknown()
  const first = numbers.length > 1 ? (numbers[0] ?? 1) : 1
  const last = numbers.at(-1) ?? first
  const step = numbers.length > 2 ? (numbers[1] ?? 1) : 1
  const count = Math.floor((last - first) / step) + 1
  if (step === 0 || count < 1) return EMPTY
  if (count > MAX_TEXTS)
    return unknown({ ...EMPTY.flow, processes: [rangeMark(Math.min(first, last), Math.max(first, last))] })
  return known(Array.from({ length: count }, (_, at) => String(first + at * step)).join('\n'))
}

/** Commands that print what they are given. */
export const PRINTING_COMMANDS: readonly CommandRow[] = [
  {
    names: ['echo'],
    run: echo,
    examples: [
      ['echo rm -rf /'],
      ["echo -e '\\x72\\x6d -rf /' | sh", 'exec.decoded', 'fs.delete+recursive+force@root'],
    ],
  },
  {
    names: ['printf'],
    run: printf,
    examples: [["printf '%s %s' rm /"], ["printf 'rm -rf %s' / | bash", 'fs.delete+recursive+force@root']],
  },
  {
    names: ['seq', 'gseq', 'jot'],
    values: ['-f', '-s', '-w'],
    dash: 'single',
    run: sequence,
    examples: [['seq 3'], ['for p in $(seq 1 3); do rm -rf "/etc/$p"; done', 'fs.delete+recursive+force@system']],
  },
  {
    names: ['yes'],
    run: () => unknown({ ...EMPTY.flow, processes: [WITHOUT_END] }),
    examples: [
      ['yes | head -n 3 > a.txt', 'fs.write@workspace'],
      ['yes > a.txt', 'fs.write@workspace', 'guard.tamper'],
    ],
  },
  {
    names: ['tee', 'sponge'],
    run: (call) => {
      const append = call.options.has('-a', '--append')
      call.write(call.options.operands, call.stdin ?? unknown(), append ? { traits: ['append'] } : {})
      return call.stdin ?? unknown()
    },
    examples: [
      ['echo x | tee a.txt', 'fs.write@workspace'],
      ['echo x | tee -a /etc/hosts', 'fs.write+append@system'],
    ],
  },
]
