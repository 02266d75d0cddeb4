import { SEAMS } from '../../src/hosts/openclaw/seam-table.ts'
import type { SeamName } from '../../src/hosts/openclaw/seam-table.ts'

/** Code of a host with these seams: the minimum by which they are found. */
export const codeWith = (seams: readonly SeamName[]): string =>
  seams.flatMap((seam) => SEAMS[seam].needs.map((group) => group.at(-1) ?? '')).join('\n')
