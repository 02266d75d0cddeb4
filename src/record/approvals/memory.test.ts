import { approvalStoreContract } from '../../../test/contracts/approval-store.ts'
import { createMemoryApprovalStore } from './memory.ts'

approvalStoreContract('the memory', () => {
  const store = createMemoryApprovalStore()
  return { open: () => store, volatile: true, discard: () => {} }
})
