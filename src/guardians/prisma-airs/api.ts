/**
 * The scan API of Prisma AIRS, as its SDK (0.34.0) and https://pan.dev/prisma-airs/scan/api have it.
 */

/** Its addresses by region. */
export const REGIONS = {
  us: 'https://service.api.aisecurity.paloaltonetworks.com',
  eu: 'https://service-de.api.aisecurity.paloaltonetworks.com',
  india: 'https://service-in.api.aisecurity.paloaltonetworks.com',
  singapore: 'https://service-sg.api.aisecurity.paloaltonetworks.com',
} as const

export const PATHS = {
  sync: '/v1/scan/sync/request',
  batch: '/v1/scan/async/request',
  results: '/v1/scan/results',
} as const

/** Bytes of one text. */
export const TEXT_BYTES = 2 * 1024 * 1024
/** Most contents of one step; a larger step is not sent. */
export const CONTENTS = 20
/** Characters of `session_id` and `tr_id`. */
export const ID_LENGTH = 100
/** Scans in one batch, and batches whose results are asked for at a time. */
export const BATCH = 20
export const SCAN_IDS = 5

/** The profile of a scan: the service's name for a set of detections and their consequences. */
export type Profile = { readonly profile_name: string } | { readonly profile_id: string }

/** A call of a tool, or its result. */
export interface ToolEvent {
  readonly metadata: {
    readonly ecosystem: string
    readonly method: string
    readonly server_name: string
    readonly tool_invoked?: string
  }
  readonly input?: string
  readonly output?: string
}

/** The scanned content; members in the order of the SDK. `context` is never alone. */
export interface Content {
  readonly prompt?: string
  readonly response?: string
  readonly context?: string
  readonly code_prompt?: string
  readonly code_response?: string
  readonly tool_event?: ToolEvent
}

/** Who asks, for the service's own logs. */
export interface Metadata {
  readonly app_name?: string
  readonly app_user?: string
  readonly ai_model?: string
  readonly agent_meta?: { readonly agent_id?: string; readonly agent_version?: string }
}

/** Data that accompanies a content. */
export interface ScanLabels {
  readonly tr_id?: string
  readonly session_id?: string
  readonly metadata?: Metadata
}
