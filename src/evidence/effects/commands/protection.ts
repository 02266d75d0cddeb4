import { visible } from '../shell/field.ts'
import type { Call } from './command.ts'

/** By which arguments, joined, a program turns off what protects the machine. */
const ROWS: readonly (readonly [names: RegExp, off: RegExp])[] = [
  [/^ufw$/, /^(?:--force )?(?:disable|reset)\b/],
  [
    /^ip6?tables$/,
    /(?:^|\s)(?:-F|--flush)(?:\s+(?:INPUT|FORWARD))?(?=\s*$|\s+-)|(?:^|\s)(?:-P|--policy) (?:INPUT|FORWARD) ACCEPT\b/,
  ],
  [/^nft$/, /\bflush ruleset\b/],
  [/^firewall-cmd$/, /--set-default-zone[ =]trusted\b/],
  [/^pfctl$/, /(?:^|\s)-(?:d\b|F ?all\b)/],
  [/^setenforce$/, /^(?:0|permissive)$/i],
  [/^spctl$/, /--(?:master|global)-disable\b/],
  [/^csrutil$/, /^disable\b/],
  [/^auditctl$/, /(?:^|\s)-(?:e ?0|D)\b/],
  [
    /^(?:systemctl|service|rc-service|launchctl|sc)$/,
    /^(?=.*\b(?:stop|disable|mask|kill|unload|bootout|delete)\b).*\b(?:ufw|firewalld|iptables|nftables|apparmor|auditd|fail2ban|falcon-sensor|clamav[\w-]*|mdatp|WinDefend|MpsSvc|osqueryd)\b/i,
  ],
]

/** Whether a program with these arguments turns off what protects the machine. */
const turnsOff = (name: string, args: string): boolean =>
  ROWS.some(([names, off]) => names.test(name) && off.test(args))

/** The same of PowerShell: a scanner or firewall that is switched off, or made blind to a place. */
export const turnsOffInPowershell = (name: string, args: string): boolean =>
  /^(?:set|add)-mppreference$/i.test(name)
    ? /-disable\w+[: ]\s*(?:\$true|1)\b|-exclusion\w+\b/i.test(args)
    : /^set-netfirewallprofile$/i.test(name)
      ? /-enabled[: ]\s*\$?false\b/i.test(args)
      : /^uninstall-windowsfeature$/i.test(name) && /defender/i.test(args)

/** Says so of a call. */
export const tellProtection = (call: Call): void => {
  const args = call.args.map(visible).join(' ')
  if (turnsOff(call.name, args))
    call.emit('protection.off', [{ type: 'resource', name: `${call.name} ${args}`.slice(0, 80) }])
}
