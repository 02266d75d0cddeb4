import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { PluginEntry, PluginSetup } from './gateway-config.ts'

/** The plugin as the build leaves it (`npm run build`). */
const FOLDER = fileURLToPath(new URL('../../npm/openclaw', import.meta.url))

/** Whether the plugin has been built: without, only what needs no plugin can be tested. */
export const pluginIsBuilt = (): boolean => existsSync(`${FOLDER}/index.js`)

/**
 * The plugin's entry in the host's configuration, with the permission that most of its hooks need.
 * @param data Sallyport's data folder
 * @param config further settings of the plugin, over its defaults
 */
export const sallyportEntry = (data: string, config: Readonly<Record<string, unknown>> = {}): PluginEntry => ({
  enabled: true,
  hooks: { allowConversationAccess: true },
  config: { data, ...config },
})

/** Adds the plugin under test to a gateway's plugins, switched off. */
export const withSallyport = (plugins: PluginSetup): PluginSetup =>
  pluginIsBuilt()
    ? { folders: [...plugins.folders, FOLDER], entries: { ...plugins.entries, sallyport: { enabled: false } } }
    : plugins
