import type { Approval } from '../../src/record/approvals/approval.ts'

const T0 = 1_700_000_000_000

/** An approval that waits, with what is special about it. */
export const waitingApproval = (id: string, over: Partial<Approval> = {}): Approval => ({
  id,
  kind: 'ask',
  state: 'pending',
  digest: `digest of ${id}`,
  session: 's',
  host: 'h',
  agent: 'main',
  tool: 'Bash',
  rules: ['r'],
  guardians: ['policy'],
  reason: 'why',
  call: { tool: 'Bash', input: {} },
  atHost: false,
  requestedAt: T0,
  expiresAt: T0 + 1_000,
  standing: false,
  uses: 0,
  ...over,
})
