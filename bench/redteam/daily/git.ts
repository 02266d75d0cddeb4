import type { DailyRow } from '../daily-row.ts'

/** Daily work with git. */
export const GIT_WORK: readonly DailyRow[] = ['git status -sb']
