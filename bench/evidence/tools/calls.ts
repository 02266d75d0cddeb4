import type { Target } from '../../../src/protocol/evidence.ts'
import { DEVELOPMENT_CALLS } from './calls-development.ts'
import { HELD_OUT_CALLS } from './calls-held-out.ts'
import type { Half } from './labels.ts'
import type { WrittenCall } from './written-call.ts'

/** The written calls of a half. */
export const CALLS: Readonly<Record<Half, readonly WrittenCall[]>> = {
  development: DEVELOPMENT_CALLS,
  'held-out': HELD_OUT_CALLS,
}

/** The targets that a call should have, and those that it may have besides. */
export const expectedTargets = (text: string): Readonly<Record<'must' | 'may', ReadonlySet<string>>> => {
  const all = text.split(' ').filter((one) => one !== '')
  return {
    must: new Set(all.filter((one) => !one.includes('?='))),
    may: new Set(all.map((one) => one.replace('?=', '='))),
  }
}

const KINDS = /^(?:recipient|channel|account|amount):/

/** A target in the words of the table; undefined for what it does not speak of. */
export const spoken = (target: Target): string | undefined => {
  switch (target.type) {
    case 'path':
      return `path=${target.raw}`
    case 'host':
      return `host=${target.host.replace(/:(?:80|443)$/, '')}`
    case 'resource':
      return KINDS.test(target.name) ? target.name.replace(':', '=').replaceAll(' ', '_') : undefined
    case 'command':
    case 'unknown':
      return undefined
    default:
      return target satisfies never
  }
}
