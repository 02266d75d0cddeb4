import { storeContract } from '../../../test/contracts/store.ts'
import { createMemoryStore } from './memory.ts'

storeContract('the memory store', () => ({ open: createMemoryStore, volatile: true, discard: () => {} }))
