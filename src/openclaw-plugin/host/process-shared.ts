/**
 * The host evaluates the plugin's module anew for each way it is loaded, several times in one process, and fires the
 * hooks of one turn on different ones of these instances (measured with 2026.9.6). What they have to agree about is
 * therefore kept by the process, not by the module.
 */
const PLACE = Symbol.for('sallyport.openclaw/1')

type Holder = { [PLACE]?: Map<string, unknown> }

const kept = (): Map<string, unknown> => {
  const holder = globalThis as unknown as Holder
  return (holder[PLACE] ??= new Map<string, unknown>())
}

/** What all instances with the same key share; made by whoever comes first. */
export const processShared = <T>(key: string, make: () => T): T => {
  const shared = kept()
  if (!shared.has(key)) shared.set(key, make())
  return shared.get(key) as T
}

/** What is shared under a key by now, if anything is. */
export const currentShared = (key: string): unknown => kept().get(key)

/** Shares another thing from now on. */
export const replaceShared = <T>(key: string, value: T): T => {
  kept().set(key, value)
  return value
}

/** Gives up what was shared under a key, unless another thing is by now. */
export const releaseShared = (key: string, value: unknown): void => {
  if (kept().get(key) === value) kept().delete(key)
}
