import type { HookApi } from '../host/host-api.ts'
import type { ProtectionContext } from '../state/protection-context.ts'

/** One promise of the plugin: registers whatever seams of the host keep it. Synchronous, and starts nothing. */
export type RegisterProtection = (api: HookApi, shared: ProtectionContext) => void

/** Order among hooks of one name: higher runs first. Ours come before those of other plugins. */
export const FIRST = 1_000
/** After {@link FIRST}, before other plugins. */
export const SECOND = 900
/** After all others: sees what they have made of a text. */
export const LAST = -1_000

/** Milliseconds beyond our own deadline that the host waits: ours always ends first. */
export const GRACE_MS = 1_000
