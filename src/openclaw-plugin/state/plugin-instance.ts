import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import process from 'node:process'
import { createBoundedMap } from '../../bounded/bounded-map.ts'
import { stateFolderOf } from '../../hosts/openclaw/setup/places.ts'
import { createAsker } from '../guard/decision-client.ts'
import type { InstantSource, VerdictSource } from '../guard/decision-client.ts'
import { guardEnvironment, surfaceOf } from '../guard/gateway-surface.ts'
import { createServerSource } from '../guard/guard-server.ts'
import { createSourceHere } from '../guard/local-guard.ts'
import type { SourceHere } from '../guard/local-guard.ts'
import type { OpenClawApi } from '../host/host-api.ts'
import { processShared, releaseShared, sharedNow } from '../host/process-shared.ts'
import { createLedger } from './decision-cache.ts'
import { openHere } from '../guard/open-local-guard.ts'
import type { HereOptions } from '../guard/open-local-guard.ts'
import { createScanCache } from '../scan/scan-cache.ts'
import { FOLDERS_KEPT } from './protection-context.ts'
import type { Scene } from './protection-context.ts'
import { recordsFolder } from '../settings/settings.ts'
import type { PluginSettings } from '../settings/settings.ts'
import { createSeams } from './seams.ts'
import type { Seams } from './seams.ts'
import { createSight } from './traffic-monitor.ts'
import { createWithheld } from './withheld-texts.ts'

/** What all registrations with the same settings share, and how it ends. */
export interface Shared {
  readonly scene: Scene
  readonly here: SourceHere
  /** Where verdicts come from. */
  readonly source: VerdictSource & InstantSource
  /** Whether a service of the plugin stands on it. */
  begun(): boolean
  /** The service begins: the guard is opened. */
  begin(gaps: readonly string[]): void
  /** It ends, for good: the folder that this instance was loaded from goes with it. */
  end(): Promise<void>
}

/** Under which the scanner's key is told: settings of guardians name variables, never keys. */
const KEY = 'SALLYPORT_OPENCLAW_API_KEY'
/** Milliseconds of the deadline that are the guard's own. */
const OWN_MS = 500

/** Prisma AIRS, where the plugin's settings hold a key for it. */
const scannerOf = ({ scanner, dlpMaskOnly, deadlineMs }: PluginSettings): Pick<HereOptions, 'guardians'> =>
  scanner.apiKey === undefined
    ? {}
    : {
        guardians: [
          {
            id: 'prisma-airs',
            scanner: 'prisma-airs',
            profile: scanner.profileName,
            appName: scanner.appName,
            apiKeyEnv: KEY,
            deadlineMs: Math.max(OWN_MS, deadlineMs - OWN_MS),
            dlp: dlpMaskOnly ? 'mask' : 'deny',
          },
        ],
      }

/** Under which key registrations with the same settings share. */
export const sharedKey = (settings: PluginSettings): string => JSON.stringify(settings)

/** What is known of the host's seams, whatever the settings: its code does not change while it runs. */
const seamsOf = (api: OpenClawApi): Seams =>
  processShared('seams', () => createSeams(() => api.runtime?.version ?? 'of an unknown version'))

/** Puts together what they share. Opens nothing yet. */
export const openShared = (settings: PluginSettings, api: OpenClawApi): Shared => {
  const { env } = process
  const now = (): number => Date.now()
  const log = (message: string): void => {
    api.logger.warn(message)
  }
  const state = stateFolderOf(env, homedir())
  const data = recordsFolder(settings, state)
  const here = createSourceHere({
    open: () =>
      openHere({
        data,
        env: {
          ...guardEnvironment(env),
          ...(settings.scanner.apiKey === undefined ? {} : { [KEY]: settings.scanner.apiKey }),
        },
        home: homedir(),
        log,
        ...scannerOf(settings),
        ...surfaceOf(api, env, homedir()),
      }),
    now,
    makeId: () => randomUUID(),
  })
  const server = settings.server === undefined ? undefined : createServerSource(settings.server, env)
  /** Outside a gateway nothing opens the guard that answers at once, which is here in either case. */
  const elsewhere: VerdictSource | undefined = server && {
    ask(call, signal) {
      here.warm()
      return server.ask(call, signal)
    },
  }
  const { deadlineMs, failClosed } = settings
  const key = sharedKey(settings)
  const own: VerdictSource & InstantSource = {
    ask: (call, signal) => (elsewhere ?? here).ask(call, signal),
    askNow: (call) => here.askNow(call),
    screen: (text) => here.screen(text),
    weigh: (call) => here.weigh(call),
  }
  /** Hooks of an instance that has ended may still be fired: by now another one decides, or nobody. */
  const deciding = (): VerdictSource & InstantSource =>
    here.closed() ? ((sharedNow(key) as Shared | undefined)?.source ?? here) : own
  const source: VerdictSource & InstantSource = {
    ask: (call, signal) => deciding().ask(call, signal),
    askNow: (call) => deciding().askNow(call),
    screen: (text) => deciding().screen(text),
    weigh: (call) => deciding().weigh(call),
  }
  let begun = false
  const shared: Shared = {
    here,
    source: own,
    begun: () => begun,
    scene: {
      settings,
      asker: createAsker({ source, instant: source, deadlineMs, failClosed, log }),
      ledger: createLedger({ now }),
      cache: createScanCache({ now }),
      withheld: createWithheld(),
      seams: seamsOf(api),
      sight: createSight(),
      instant: () => server === undefined && here.instant(),
      folders: createBoundedMap({ most: FOLDERS_KEPT }),
      log,
    },
    begin(gaps) {
      begun = true
      here.begin(gaps)
    },
    async end() {
      releaseShared(key, shared)
      server?.close()
      await here.close()
    },
  }
  return shared
}
