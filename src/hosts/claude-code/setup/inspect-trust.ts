import type { Check } from '../../setup/check.ts'
import { fail, ok, warn } from '../../setup/check.ts'
import type { HookWay, NamedFile, SettingsInspection } from './inspect-settings.ts'

const REINSTALL = 'Run `sallyport install claude-code` again, then start the client again.'

/** What a file of certificates that the client is to trust holds, as far as doctor needs it. */
export interface TrustFile {
  /** It is one that `install` has written. */
  readonly isOurs: boolean
  /** Every certificate that the guard may show is in it. */
  readonly holdsAll: boolean
  /** The person's own file that is joined in it. */
  readonly joined?: string
}

export interface TrustQuestion {
  readonly settings: Pick<SettingsInspection, 'trusted' | 'unverified' | 'ways'>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly look: (path: string) => TrustFile
  /** Day on which the guard's certificate ends. */
  readonly validTo: string
}

const verification = ({ settings, env }: TrustQuestion): readonly Check[] => {
  const where = [...settings.unverified, ...(env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0' ? ['the environment'] : [])]
  return where.length === 0
    ? []
    : [
        fail(
          'tls',
          `NODE_TLS_REJECT_UNAUTHORIZED=0 in ${where.join(', ')}: the client believes whoever answers on the guard's port`,
          'Take it out, and name the certificates that you need by NODE_EXTRA_CA_CERTS.',
        ),
      ]
}

const named = (file: NamedFile | undefined, { look, validTo }: TrustQuestion): Check => {
  if (file === undefined)
    return fail('tls', 'no settings file names the certificate of the guard: every step is blocked', REINSTALL)
  const { isOurs, holdsAll, joined } = look(file.named)
  if (!isOurs)
    return fail(
      'tls',
      `${file.path} names certificates by NODE_EXTRA_CA_CERTS that are not the guard's (${file.named}): every step is blocked`,
      'Take the variable out there and set it where you start the client; then run `sallyport install claude-code`, which joins it.',
    )
  if (!holdsAll)
    return fail('tls', `${file.named} lacks the certificate of the guard: every step is blocked`, REINSTALL)
  const beside = joined === undefined ? '' : `, beside those in ${joined}`
  return ok('tls', `the client knows the guard by its certificate (until ${validTo})${beside}`)
}

/** Whether a stranger on the guard's port could answer for it. */
export const inspectTrust = (question: TrustQuestion): readonly Check[] => {
  const { ways, trusted } = question.settings
  if (ways.length === 0) return []
  if (ways.includes('http'))
    return [
      fail(
        'tls',
        'hooks go by plain HTTP, where a stranger could answer for the guard; this guard takes them no more',
        REINSTALL,
      ),
    ]
  if (!ways.includes('https')) return [ok('tls', 'hooks are programs of the guard, which know its certificate')]
  return [...verification(question), named(trusted[0], question)]
}

/** What binds a session to the client that began it, on this machine. */
export interface BindingQuestion {
  readonly binding: 'where-possible' | 'required' | 'off'
  readonly seesProcesses: boolean
  readonly platform: string
  readonly ways: readonly HookWay[]
}

/** Who is believed, in one sentence. */
export const inspectBinding = ({ binding, seesProcesses, platform, ways }: BindingQuestion): Check => {
  const name = 'sessions'
  if (binding === 'off')
    return warn(
      name,
      "whoever holds the guard's token can speak for any session: server.bindSessions is off",
      'Take `bindSessions` out of sallyport.yaml.',
    )
  if (!seesProcesses)
    return binding === 'required'
      ? fail(
          name,
          `server.bindSessions is required, and ${platform} does not show which process sends an event: every step is refused`,
          'Set it to where-possible.',
        )
      : warn(
          name,
          `${platform} does not show which process sends an event: whoever holds the guard's token can speak for a session`,
          'The policy keeps agents from reading the token; there is nothing more to be had on this system.',
        )
  if (ways.includes('command'))
    return warn(
      name,
      'an event counts when any program that the client starts sends it, the agent among them: this client has no other way',
      'Update Claude Code, then run `sallyport install claude-code` again.',
    )
  return ok(name, 'an event counts only when the client process that began the session sends it')
}
