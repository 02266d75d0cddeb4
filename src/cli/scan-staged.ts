import { createSecretScan } from '../config/secret-scan.ts'
import { addedLines } from '../hosts/git/added-lines.ts'
import type { AddedText } from '../hosts/git/added-lines.ts'
import { stagedDiff } from '../hosts/git/git.ts'
import type { ExitCode, Io } from './io.ts'
import { counted, visible } from './trace-view.ts'

type SecretScan = ReturnType<typeof createSecretScan>

/** `file:line:column type severity` of each secret. Offsets come in order, so lines are counted once. */
const placesIn = ({ path, text, lines }: AddedText, scan: SecretScan): readonly string[] => {
  let index = 0
  let lineStart = 0
  return scan(text).map(({ start, type, severity }) => {
    for (let at = text.indexOf('\n', lineStart); at !== -1 && at < start; at = text.indexOf('\n', lineStart)) {
      index++
      lineStart = at + 1
    }
    return `${visible(path)}:${lines[index] ?? 0}:${start - lineStart + 1} secret:${type} ${severity}`
  })
}

/** Scans the lines that the next commit would add; 1 when one of them holds a secret. */
export const scanStaged = async (io: Io): Promise<ExitCode> => {
  const scan = createSecretScan()
  const places: string[] = []
  for await (const added of addedLines(stagedDiff(io))) places.push(...placesIn(added, scan))
  for (const place of places) io.out(place)
  if (places.length === 0) return 0
  io.err(
    `sallyport: ${counted(places.length, 'secret')} in the staged changes. Remove ${places.length === 1 ? 'it' : 'them'}, ` +
      'and revoke secrets that were ever pushed. `git commit --no-verify` commits anyway.',
  )
  return 1
}
