import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { PluginEntry, PluginSetup } from './gateway-config.ts'

/** The plugin as the build leaves it (`npm run build`), or another build named by SALLYPORT_E2E_OPENCLAW_PLUGIN. */
export const pluginFolder =
  process.env['SALLYPORT_E2E_OPENCLAW_PLUGIN'] ?? fileURLToPath(new URL('../../npm/openclaw', import.meta.url))

/**
 * The plugin's entry in the host's configuration, with the permission that most of its hooks need.
 * @param config settings of the plugin, over its defaults
 */
export const sallyportEntry = (config: Readonly<Record<string, unknown>> = {}): PluginEntry => ({
  enabled: true,
  hooks: { allowConversationAccess: true },
  config,
})

/** Adds the plugin under test to a gateway's plugins, switched off; a plugin that was not built is an error. */
export const withSallyport = (plugins: PluginSetup): PluginSetup => {
  if (!existsSync(`${pluginFolder}/dist/index.js`))
    throw new Error('There is no plugin to test: run `npm run build` first.')
  return { folders: [...plugins.folders, pluginFolder], entries: { ...plugins.entries, sallyport: { enabled: false } } }
}
