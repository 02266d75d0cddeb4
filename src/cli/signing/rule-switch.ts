import { existsSync } from 'node:fs'
import { dataFiles } from '../../config/data-folder.ts'
import { SallyportError } from '../../errors/errors.ts'
import type { DisabledRule } from '../../record/approvals/approval.ts'
import { disabledAt } from '../../record/approvals/disabling.ts'
import { openSqliteApprovalStore } from '../../record/approvals/sqlite.ts'
import type { Io } from '../io/io.ts'
import { withApprovalRecords, mayWaiveIn, refuseAgents, personOf } from './approval-records.ts'
import { visible } from '../views/trace-view.ts'

/** Which rule is switched, and by whom. */
export interface RuleSwitchRequest {
  readonly io: Io
  /** The guard's data folder; default: the person's. */
  readonly data: string
  readonly rule: string
  readonly by: string | undefined
  /** Name or id of the signing key; default: the first usable one. */
  readonly key?: string | undefined
}

/** Disables a rule for a time. @throws SallyportError SP_RULE_DISABLE */
export const disableRule = async (
  { io, data, rule, by, key }: RuleSwitchRequest,
  { minutes, reason }: { readonly minutes: number; readonly reason: string },
): Promise<DisabledRule> => {
  refuseAgents(io.env)
  const mayWaive = await mayWaiveIn(io, data)
  if (!mayWaive(rule, io.cwd))
    throw new SallyportError('SP_RULE_DISABLE', {
      rule,
      why: 'it is final, set by the managed configuration, or not a forbid in force',
    })
  return withApprovalRecords(io, data, async ({ disabling, sign }) => {
    const statement = disabling.propose({ rule, minutes, by: personOf(by, io.env), reason })
    return disabling.disable(await sign(statement, key))
  })
}

/** Enables it again; `false` when it was enabled. */
export const enableRule = async ({ io, data, rule, by }: RuleSwitchRequest): Promise<boolean> => {
  refuseAgents(io.env)
  return withApprovalRecords(io, data, ({ disabling }) => disabling.enable(rule, personOf(by, io.env)))
}

/** Rules that are disabled now; none without stored data. */
export const disabledNow = (data: string, now: number): readonly DisabledRule[] => {
  const path = dataFiles(data).approvals
  if (!existsSync(path)) return []
  const store = openSqliteApprovalStore({ path })
  try {
    return disabledAt(store.disabledRules(), now)
  } finally {
    store.close()
  }
}

/** `delete-home is disabled until 2026-11-21 19:30Z by ada: deploy is stuck`. */
export const disabledLine = ({ rule, until, by, reason }: DisabledRule): string =>
  visible(
    `${rule} is disabled until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')}Z by ${by}: ${reason}`,
  )
