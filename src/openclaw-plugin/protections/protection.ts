import type { HookApi } from '../host/host-api.ts'
import type { ProtectionContext } from '../state/protection-context.ts'

/** One protection of the plugin: registers at the seams of the host that it needs. Synchronous, and starts nothing. */
export type RegisterProtection = (api: HookApi, shared: ProtectionContext) => void

/** Order among hooks of one name: higher runs first. Ours come before those of other plugins. */
export const FIRST = 1_000
/** After {@link FIRST}, before other plugins. */
export const SECOND = 900
/** After all others: sees the text as they leave it. */
export const LAST = -1_000

/** Milliseconds by which the host's deadline exceeds ours, so that ours always ends first. */
export const GRACE_MS = 1_000
