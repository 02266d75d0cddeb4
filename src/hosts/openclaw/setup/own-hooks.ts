import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isObject } from '../../../protocol/json.ts'

const ignore = (): void => undefined

/** Accepts all registrations of the plugin, and records the hooks. */
const listening = (id: string, config: unknown, pluginConfig: unknown, onHook: (hook: string) => void): object => {
  const known: Readonly<Record<string, unknown>> = {
    id,
    // As the host's own inspection does: nothing is started.
    registrationMode: 'discovery',
    config,
    pluginConfig,
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    on: onHook,
  }
  return new Proxy(known, {
    get: (target, name) => (typeof name === 'string' && name in target ? target[name] : ignore),
  })
}

const entryOf = (module: unknown): unknown => (isObject(module) ? module['default'] : undefined)

/**
 * The hooks that the built plugin in `folder` registers with a configuration of the host, to compare with the host's
 * report: names, each once, sorted. The plugin is loaded for that, as the host does many times in one process; nothing
 * of it runs. `undefined` without a plugin there.
 */
export const ownHooks = async (
  folder: string,
  id: string,
  config: unknown,
  pluginConfig: unknown,
): Promise<readonly string[] | undefined> => {
  let entry: unknown
  try {
    entry = entryOf(await import(pathToFileURL(join(folder, 'dist', 'index.js')).href))
  } catch {
    return undefined
  }
  const register = isObject(entry) ? entry['register'] : undefined
  if (typeof register !== 'function') return undefined
  const hooks = new Set<string>()
  Reflect.apply(register, entry, [listening(id, config, pluginConfig, (hook) => hooks.add(hook))])
  return [...hooks].toSorted()
}
