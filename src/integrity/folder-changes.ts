const entriesOf = (text: string | undefined): ReadonlyMap<string, string> =>
  new Map(
    (text ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const at = line.indexOf(' ')
        return [line.slice(at + 1), line.slice(0, at)]
      }),
  )

/** A file of a folder that differs. */
export interface FolderChange {
  /** Below the folder. */
  readonly path: string
  readonly how: 'added' | 'changed' | 'removed'
}

/** What differs between two lists of a folder's files. */
export const folderChanges = (accepted: string | undefined, now: string | undefined): readonly FolderChange[] => {
  const [before, after] = [entriesOf(accepted), entriesOf(now)]
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((path): readonly FolderChange[] => {
    const [old, fresh] = [before.get(path), after.get(path)]
    if (old === fresh) return []
    return [{ path, how: old === undefined ? 'added' : fresh === undefined ? 'removed' : 'changed' }]
  })
}

const NAMED = 5

/** The same in words: the first few files by name. */
export const folderFindings = (accepted: string | undefined, now: string | undefined): readonly string[] => {
  const changes = folderChanges(accepted, now)
  const rest = changes.length - NAMED
  return [
    ...changes.slice(0, NAMED).map(({ path, how }) => `${path} was ${how}`),
    ...(rest > 0 ? [`${rest} more files changed`] : []),
  ]
}
