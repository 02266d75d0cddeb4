import type { Json } from '../../src/protocol/json.ts'

/** One piece of ordinary work: a shell command in short, or a line of `explain --jsonl` with the world it needs. */
export type DailyRow = string | Readonly<Record<string, Json>>
