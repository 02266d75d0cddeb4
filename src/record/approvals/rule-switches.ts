import type { EventStore } from '../stores/store.ts'
import { GUARD_SESSION } from '../stores/store.ts'
import type { KeyList } from '../signatures/key-list.ts'
import type { DisabledRule } from './approval.ts'
import { disabledFault } from './disabling.ts'
import type { ApprovalReads } from './store.ts'

/** The rules that the guard treats as disabled: those whose switch was signed, and not ended before. */
export interface RuleSwitches {
  isDisabled(rule: string): boolean
  /** Reads from the trace which switches were ended before this process began. */
  begin(trace: Pick<EventStore, 'events'>): Promise<void>
}

/** Dependencies of the rule switches. */
export interface RuleSwitchOptions {
  readonly store: Pick<ApprovalReads, 'disabledRules'>
  readonly keys: () => KeyList
  readonly now: () => number
  readonly limits: () => { readonly maxDisableMinutes: number }
  /** Reports a rejected switch, once. */
  readonly refused: (rule: string, why: string) => void
}

const MINUTE = 60_000
const REMEMBERED = 10_000

export const createRuleSwitches = ({ store, keys, now, limits, refused }: RuleSwitchOptions): RuleSwitches => {
  const live = new Set<string>()
  const ended = new Set<string>()
  const reported = new Set<string>()
  const nonceOf = ({ signed }: DisabledRule): string => signed?.statement?.nonce ?? ''

  const isOwn = ({ rule, signed }: DisabledRule): boolean => signed?.statement?.rule === rule

  const faultOf = (one: DisabledRule): string | undefined =>
    disabledFault(one, { keys: keys(), now: now() }, limits()) ??
    (ended.has(nonceOf(one)) ? 'it has already ended' : undefined)

  return Object.freeze<RuleSwitches>({
    isDisabled(rule) {
      const rules = store.disabledRules()
      // A copy under another rule's name does not keep a switch valid.
      const there = new Set(rules.filter(isOwn).map(nonceOf))
      for (const nonce of live)
        if (!there.has(nonce)) {
          live.delete(nonce)
          ended.add(nonce)
        }
      const one = rules.find((each) => each.rule === rule)
      if (one === undefined) return false
      const why = faultOf(one)
      if (why === undefined) {
        live.add(nonceOf(one))
        return true
      }
      const name = `${nonceOf(one)} ${rule} ${why}`
      if (!reported.has(name) && reported.size < REMEMBERED) {
        reported.add(name)
        refused(rule, why)
      }
      return false
    },
    async begin(trace) {
      const since = now() - limits().maxDisableMinutes * MINUTE - MINUTE
      const query = { session: GUARD_SESSION, type: 'RuleEnabled', since, order: 'newest', limit: REMEMBERED } as const
      for await (const { body } of trace.events(query))
        if (typeof body['nonce'] === 'string' && body['nonce'] !== '') ended.add(body['nonce'])
    },
  })
}
