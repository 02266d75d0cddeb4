import type { Target } from '../../../protocol/evidence.ts'
import { visible } from '../values/field.ts'
import type { Call } from '../engine/call.ts'

/**
 * Joined arguments by which a program disables what the guard depends on: the machine's loopback connection, and the
 * clock for the end of approvals.
 */
const ROWS: readonly (readonly [names: RegExp, takes: RegExp])[] = [
  [/^ip$/, /\blink set (?:dev )?lo\d? .*\bdown\b|\baddr(?:ess)? (?:del|delete|flush)\b.*(?:\b127\.|\blo\b|::1\b)/],
  [
    /^ip$/,
    /\broute (?:add|replace) (?:blackhole|unreachable|prohibit)(?: \S+)? (?:127\.|::1)|\brule (?:add|del).*\b(?:127\.|local)/,
  ],
  [/^ifconfig$/, /^lo\d? .*\bdown\b|^lo\d? (?:delete|-alias|del)\b/],
  [
    /^ip6?tables(?:-legacy|-nft)?$/,
    /(?=.*(?:-[oi] lo\b|-[ds] (?:127\.|localhost|::1)))(?=.*-j (?:DROP|REJECT|REDIRECT|DNAT|QUEUE|NFQUEUE))|(?:-P|--policy) (?:INPUT|OUTPUT) (?:DROP|REJECT)/,
  ],
  [/^nft$/, /(?:\b(?:o|i)ifn?a?m?e?\s+"?lo"?\b|\b(?:daddr|saddr) (?:127\.|::1)).*\b(?:drop|reject|redirect|dnat)\b/],
  [/^pfctl$/, /\bblock\b.*\blo0\b|\blo0\b.*\bblock\b/s],
  [/^ufw$/, /^(?:--\S+ )*(?:insert \d+ )?(?:deny|reject|limit)\b.*\b(?:127\.|::1)/],
  [/^tc$/, /\bqdisc (?:add|replace|change)\b.*\bdev lo\b/],
  [/^timedatectl$/, /^(?:--\S+ )*set-time\b/],
  [/^hwclock$/, /(?:^|\s)--set(?:\s|$)/],
  [/^chronyc$/, /\bsettime\b/],
  [/^systemsetup$/, /-set(?:date|time)\b/],
]

/** Emits that a program disables what the guard depends on. */
export const emitMachine = (call: Call): void => {
  const args = [...call.args.map(visible), ...(call.stdin?.texts ?? [])].join(' ').slice(0, 4_000)
  if (!ROWS.some(([names, takes]) => names.test(call.name) && takes.test(args))) return
  const target: Target = { type: 'resource', name: `${call.name} ${args}`.slice(0, 80) }
  call.emit('guard.tamper', [target])
}

/** Whether `date` sets the clock, rather than showing a time. */
export const setsClock = (call: Call): boolean =>
  call.args.some((field, at) => {
    const text = visible(field)
    const before = visible(call.args[at - 1] ?? field)
    if (/^(?:-s.*|--set(?:=.*)?)$/.test(text)) return true
    return (
      /^\d{8,12}(?:\.\d\d)?$/.test(text) &&
      !/^(?:-d|-r|-f|-v|-j|--date|--reference|--file)$/.test(before) &&
      !call.args.some((one) => visible(one).startsWith('-j'))
    )
  })
