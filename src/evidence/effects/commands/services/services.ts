import type { CommandRow } from '../../engine/call.ts'
import { BACKUP } from './backup.ts'
import { CONTINUOUS_INTEGRATION } from './continuous-integration.ts'
import { HOSTING } from './hosting.ts'
import { MESSAGING } from './messaging.ts'
import { SECRET_MANAGERS } from './secret-managers.ts'
import { serviceCommand } from './service.ts'
import { STORES } from './stores.ts'

/** Programs of hosted services, a table each domain. */
export const SERVICE_COMMANDS: readonly CommandRow[] = [
  ...SECRET_MANAGERS,
  ...CONTINUOUS_INTEGRATION,
  ...MESSAGING,
  ...BACKUP,
  ...HOSTING,
  ...STORES,
].map(serviceCommand)
