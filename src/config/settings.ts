import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SallyportError } from '../errors.ts'
import type { PolicySet } from '../policy/policy-set.ts'
import { createRuleReader } from '../policy/rule-reader.ts'
import type { RuleReader } from '../policy/rule-reader.ts'
import { dataFiles } from './data-folder.ts'
import { loadConfig } from './load.ts'
import type { ConfigText } from './load.ts'
import { CONFIG_FILE } from './locations.ts'
import type { ConfigLocations } from './locations.ts'
import { openPolicies } from './policies.ts'
import type { PolicyReport } from './policies.ts'
import { pinFolder, watchFolders } from './policy-files.ts'
import type { Config } from './schema.ts'

/** Configuration and policies that belong together. */
export interface Settings {
  readonly config: Config
  /** The policies for a step of this project (absolute path of its root). */
  policiesFor(project: string | undefined): PolicySet
}

/** Something a person should know about the settings in force. */
export type SettingsReport =
  | PolicyReport
  /** What is written now is wrong; the settings before it go on holding. */
  | { readonly event: 'kept'; readonly problems: readonly string[] }

/** Settings as they are on disk, and as they change. */
export interface OpenSettings {
  current(): Settings
  /**
   * Reads everything again when a file changes and says so; returns what stops it. When what was read is wrong, or
   * `swapped` cannot work with it and throws, the settings before it go on holding.
   */
  watch(swapped: () => void): () => void
}

/** Where settings are read from. `data` is the guard's data folder, which holds the pins of trusted projects. */
export interface SettingsPlaces {
  readonly locations: ConfigLocations
  readonly data: string
  readonly home: string
}

const layerText = (layer: ConfigText['layer'], folder: string): readonly ConfigText[] => {
  const path = join(folder, CONFIG_FILE)
  try {
    return [{ layer, path, text: readFileSync(path, 'utf8') }]
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return []
    throw new SallyportError('SP_CONFIG_SYNTAX', { place: path, detail: 'it cannot be read' }, { cause: error })
  }
}

const read = (
  { locations, data, home }: SettingsPlaces,
  report: (report: SettingsReport) => void,
  readRules: RuleReader,
): Settings => {
  const { managed, user } = locations
  const config = loadConfig([...layerText('managed', managed), ...layerText('user', user)])
  const policies = openPolicies({ packs: config.packs, managed, user, data, home }, report, readRules)
  return { config, policiesFor: (project) => policies.layersFor(project) }
}

/** Reads the settings. @throws SallyportError SP_CONFIG_* or SP_POLICY_INVALID: no guard comes up on settings nobody meant */
export const openSettings = (places: SettingsPlaces, report: (report: SettingsReport) => void): OpenSettings => {
  const readRules = createRuleReader()
  let settings = read(places, report, readRules)
  const { locations, data } = places
  return Object.freeze({
    current: () => settings,
    watch: (swapped: () => void) =>
      watchFolders([locations.managed, locations.user, pinFolder(data), dataFiles(data).installed], () => {
        const before = settings
        try {
          settings = read(places, report, readRules)
          swapped()
        } catch (error) {
          settings = before
          report({ event: 'kept', problems: [error instanceof Error ? error.message : 'they cannot be read'] })
        }
      }),
  })
}
