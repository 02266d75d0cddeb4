import type { Decision, Downgrade } from '../protocol/verdict.ts'

/** What a host can carry out at one of its events. */
export interface HostPower {
  /** The step can still be prevented. */
  readonly deny: boolean
  /** `strings`: only strings inside the payload may change, its shape stays. */
  readonly modify: 'any' | 'strings' | 'none'
  /** The host itself can ask a person. */
  readonly ask: boolean
  readonly defer: boolean
  /** Milliseconds the host waits for a person's answer; absent: it does not wait. */
  readonly waitMs?: number
  /** Whether the caller has stopped waiting. */
  readonly gone?: () => boolean
}

/** A host that can enforce every verdict. */
export const FULL_POWER: HostPower = { deny: true, modify: 'any', ask: true, defer: true }

/** A host that only reports: nothing it sends can be stopped or changed. */
export const NO_POWER: HostPower = { deny: false, modify: 'none', ask: false, defer: false }

/** Explains a refusal that replaces another decision: what happened, and what helps. */
export const refusedInstead = ({ from }: Downgrade): string => {
  switch (from) {
    case 'modify':
      return 'It was refused as a whole, because this host cannot remove parts of it: send it again without them.'
    case 'ask':
      return 'It was refused, because nobody can be asked about it here.'
    case 'defer':
      return 'It was refused, because it cannot be deferred here.'
    case 'allow':
    case 'deny':
      return ''
    default:
      return from satisfies never
  }
}

/** Explains a decision that came too late to be enforced. */
export const notStopped = ({ from }: Downgrade): string => {
  switch (from) {
    case 'modify':
      return '(It is unchanged: nothing can be removed from it any more.)'
    case 'ask':
    case 'defer':
    case 'deny':
      return '(It could not be stopped: it had already happened.)'
    case 'allow':
      return ''
    default:
      return from satisfies never
  }
}

/**
 * The downgrade of a decision at an event with this power; `undefined` if the host can enforce it.
 * @param changesShape whether some edit replaces anything but a string by a string
 */
export const downgradeFor = (decision: Decision, power: HostPower, changesShape: boolean): Downgrade | undefined => {
  const lost = (why: string): Downgrade =>
    power.deny ? { from: decision, to: 'deny', why } : { from: decision, to: 'unenforceable', why }
  switch (decision) {
    case 'allow':
      return undefined
    case 'deny':
      return power.deny ? undefined : lost('the host reports this step after the fact and cannot stop it')
    case 'ask':
      return power.ask ? undefined : lost('the host has nobody to ask at this event')
    case 'defer':
      return power.defer ? undefined : lost('the host cannot defer this step')
    case 'modify':
      if (power.modify === 'none') return lost('the host cannot change the payload at this event')
      if (power.modify === 'strings' && changesShape)
        return lost('the host accepts only changes that keep the shape of the payload')
      return undefined
    default:
      return decision satisfies never
  }
}
