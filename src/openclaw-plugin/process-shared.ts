/**
 * The host evaluates the plugin's module anew for each way it is loaded, several times in one process, and fires the
 * hooks of one turn on different ones of these instances (measured with 2026.9.6). What they have to agree about is
 * therefore kept by the process, not by the module.
 */
const PLACE = Symbol.for('sallyport.openclaw/1')

type Holder = { [PLACE]?: Map<string, unknown> }

/**
 * What all instances with the same key share; made by whoever comes first, and kept as long as the process: an instance
 * that is registered while another one stops has to get the same.
 */
export const processShared = <T>(key: string, make: () => T): T => {
  const holder = globalThis as unknown as Holder
  const kept = (holder[PLACE] ??= new Map<string, unknown>())
  if (!kept.has(key)) kept.set(key, make())
  return kept.get(key) as T
}
