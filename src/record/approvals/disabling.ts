import { SallyportError } from '../../errors.ts'
import { isAhead } from './approval.ts'
import type { DisabledRule } from './approval.ts'
import type { Outbox } from './outbox.ts'
import { personsWords } from './persons-words.ts'
import type { MaskWords } from './persons-words.ts'
import type { ApprovalStore, ApprovalWrites } from './store.ts'

/** What the emergency switch of rules is made of. */
export interface DisablingOptions {
  readonly store: ApprovalStore
  readonly outbox: Outbox
  /** Masks secrets in what the person writes. */
  readonly mask: MaskWords
  readonly now: () => number
  readonly limits: () => { readonly maxDisableMinutes: number }
}

/** Who takes a rule out of force, for how long, and why; the reason is required. */
export interface DisableOrder {
  readonly rule: string
  readonly minutes: number
  readonly by: string
  readonly reason: string
}

/** Takes one rule out of force for a time. Whether the rule may be is for the caller to know. */
export interface Disabling {
  /** @throws SallyportError SP_RULE_DISABLE */
  disable(order: DisableOrder): Promise<DisabledRule>
  /** Puts it into force again before its time; `false` when it was in force. */
  enable(rule: string, by: string): Promise<boolean>
}

const MINUTE = 60_000

const isInForceAgain = ({ at, until }: DisabledRule, now: number): boolean => until <= now || isAhead(at, now)

/** Rules out of force at a time: what is over counts no more, though nobody has ended it. */
export const disabledAt = (rules: readonly DisabledRule[], now: number): readonly DisabledRule[] =>
  rules.filter((one) => !isInForceAgain(one, now))

/** Tells the trace of rules that are in force again because their time is over. */
export const endDisabled = (writes: ApprovalWrites, now: number): void => {
  for (const one of writes.disabledRules()) {
    if (!isInForceAgain(one, now)) continue
    const { rule, until } = one
    writes.removeDisabled(rule)
    writes.note({ type: 'RuleEnabled', at: Math.min(until, now), body: { rule, by: 'time' } })
  }
}

/** Makes the switch. */
export const createDisabling = ({ store, outbox, mask, now, limits }: DisablingOptions): Disabling =>
  Object.freeze<Disabling>({
    async disable({ rule, minutes, ...given }) {
      const refuse = (why: string): SallyportError => new SallyportError('SP_RULE_DISABLE', { rule, why })
      const { maxDisableMinutes: max } = limits()
      if (given.reason.trim() === '') throw refuse('a reason is needed (--reason)')
      if (!Number.isFinite(minutes) || minutes <= 0) throw refuse('a time is needed, such as --for 30m')
      if (minutes > max) throw refuse(`${max} minutes is the longest (\`approvals.maxDisableMinutes\`)`)
      const at = now()
      const words = personsWords(given, mask)
      const disabled: DisabledRule = { rule, at, until: at + minutes * MINUTE, ...words }
      store.transact((writes) => {
        endDisabled(writes, at)
        writes.setDisabled(disabled)
        writes.note({ type: 'RuleDisabled', at, body: { rule, until: disabled.until, ...words } })
      })
      await outbox.send()
      return disabled
    },
    async enable(rule, name) {
      const at = now()
      const { by } = personsWords({ by: name, reason: '' }, mask)
      const was = store.transact((writes) => {
        endDisabled(writes, at)
        if (!writes.disabledRules().some((one) => one.rule === rule)) return false
        writes.removeDisabled(rule)
        writes.note({ type: 'RuleEnabled', at, body: { rule, by } })
        return true
      })
      await outbox.send()
      return was
    },
  })
