import type { DailyRow } from './daily-row.ts'
import { GIT_WORK } from './daily/git.ts'
import type { ExplainLine } from './explain-rows.ts'

const TOPICS: Readonly<Record<string, readonly DailyRow[]>> = {
  git: GIT_WORK,
}

/** Harmless work that nobody should be asked about; written before the guard's answer was looked at. */
export const DAILY_WORK: readonly ExplainLine[] = Object.entries(TOPICS).flatMap(([topic, rows]) =>
  rows.map((row, index) => {
    const id = `${topic}-${index + 1}`
    return typeof row === 'string' ? { id, command: row } : { ...row, id }
  }),
)
