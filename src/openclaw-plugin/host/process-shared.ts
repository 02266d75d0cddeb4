/**
 * The host evaluates the plugin's module for each way in which it is loaded, several times in one process, and fires
 * the hooks of one turn on different instances (measured with 2026.9.6). Their shared state therefore belongs to the
 * process, not to the module.
 */
const PLACE = Symbol.for('sallyport.openclaw/1')

type Holder = { [PLACE]?: Map<string, unknown> }

const kept = (): Map<string, unknown> => {
  const holder = globalThis as unknown as Holder
  return (holder[PLACE] ??= new Map<string, unknown>())
}

/** The value that all instances with the same key share, made by the first. */
export const processShared = <T>(key: string, make: () => T): T => {
  const shared = kept()
  if (!shared.has(key)) shared.set(key, make())
  return shared.get(key) as T
}

/** The current value of a key, if any. */
export const currentShared = (key: string): unknown => kept().get(key)

/** Replaces the shared value. */
export const replaceShared = <T>(key: string, value: T): T => {
  kept().set(key, value)
  return value
}

/** Removes the shared value of a key, unless it has been replaced. */
export const releaseShared = (key: string, value: unknown): void => {
  if (kept().get(key) === value) kept().delete(key)
}
