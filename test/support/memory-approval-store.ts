import { randomBytes } from 'node:crypto'

import type { Signed } from '../../src/record/signatures/signed.ts'
import type { AcceptStatement } from '../../src/record/signatures/statement.ts'
import type { Approval, DisabledRule } from '../../src/record/approvals/approval.ts'
import type {
  ApprovalQuery,
  ApprovalReads,
  ApprovalStore,
  ApprovalWrites,
  UnsentEvent,
} from '../../src/record/approvals/store.ts'

/** Content of a memory store; replaced as a whole by a successful transaction. */
interface MemoryState {
  readonly approvals: Map<string, Approval>
  readonly disabled: Map<string, DisabledRule>
  readonly accepted: Signed<AcceptStatement>[]
  readonly events: UnsentEvent[]
}

const newestFirst = (a: Approval, b: Approval): number => b.requestedAt - a.requestedAt || (a.id < b.id ? 1 : -1)

/** Whether an approval matches a query. */
const isMatch =
  ({ states, session, idFrom = '', openAt = -Infinity }: ApprovalQuery) =>
  (one: Approval): boolean =>
    (states === undefined || states.includes(one.state)) &&
    (session === undefined || one.session === session) &&
    one.id.startsWith(idFrom) &&
    one.expiresAt > openAt

const readsOf = ({ approvals, disabled, accepted }: MemoryState): ApprovalReads => {
  const where = (holds: (one: Approval) => boolean): readonly Approval[] =>
    [...approvals.values()].filter(holds).toSorted(newestFirst)
  return {
    get: (id) => approvals.get(id),
    ofCall: (digest) => where((one) => one.digest === digest).slice(0, 100),
    list: (query = {}) => where(isMatch(query)).slice(0, query.limit ?? 1_000),
    count: (query = {}) => where(isMatch(query)).length,
    over: (now) =>
      where((one) => (one.state === 'pending' || one.state === 'granted') && one.expiresAt <= now).slice(0, 1_000),
    disabledRules: () => [...disabled.values()].toSorted((a, b) => (a.rule < b.rule ? -1 : 1)),
    acceptances: () => accepted.slice(-10_000),
  }
}

/** Approvals in memory: for tests, and for guards without files. */
export const createMemoryApprovalStore = (): ApprovalStore => {
  let held: MemoryState = { approvals: new Map(), disabled: new Map(), accepted: [], events: [] }
  let noted = 0
  const reads: ApprovalReads = {
    get: (id) => readsOf(held).get(id),
    ofCall: (digest) => readsOf(held).ofCall(digest),
    list: (query) => readsOf(held).list(query),
    count: (query) => readsOf(held).count(query),
    over: (now) => readsOf(held).over(now),
    disabledRules: () => readsOf(held).disabledRules(),
    acceptances: () => readsOf(held).acceptances(),
  }
  return Object.freeze<ApprovalStore>({
    ...reads,
    key: randomBytes(32),
    transact: (work) => {
      const next: MemoryState = {
        approvals: new Map(held.approvals),
        disabled: new Map(held.disabled),
        accepted: [...held.accepted],
        events: [...held.events],
      }
      const writes: ApprovalWrites = {
        ...readsOf(next),
        put: (approval) => {
          next.approvals.set(approval.id, approval)
        },
        note: (event) => {
          noted += 1
          next.events.push({ ...event, n: noted })
        },
        setDisabled: (rule) => {
          next.disabled.set(rule.rule, rule)
        },
        removeDisabled: (rule) => {
          next.disabled.delete(rule)
        },
        accept: (signed) => {
          next.accepted.push(signed)
        },
      }
      const result = work(writes)
      held = next
      return result
    },
    unsent: () => held.events,
    sent: (events) => {
      const gone = new Set(events.map(({ n }) => n))
      held = { ...held, events: held.events.filter(({ n }) => !gone.has(n)) }
    },
    removeBefore: (time) => {
      for (const one of held.approvals.values())
        if (one.state !== 'pending' && one.state !== 'granted' && one.expiresAt < time) held.approvals.delete(one.id)
    },
    close: () => {},
  })
}
