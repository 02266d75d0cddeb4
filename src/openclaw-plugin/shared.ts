import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import process from 'node:process'
import { stateFolderOf } from '../hosts/openclaw/setup/places.ts'
import { createAsker } from './asker.ts'
import type { VerdictSource } from './asker.ts'
import { guardEnvironment, surfaceOf } from './gateway-surface.ts'
import { createServerSource } from './guard-server.ts'
import { createSourceHere, STOPPED } from './guard-here.ts'
import type { SourceHere } from './guard-here.ts'
import type { OpenClawApi } from './host-api.ts'
import { processShared } from './process-shared.ts'
import { createLedger } from './ledger.ts'
import { openHere } from './open-here.ts'
import type { HereOptions } from './open-here.ts'
import { createScanCache } from './scan-cache.ts'
import type { Scene } from './scene.ts'
import { recordsFolder } from './settings.ts'
import type { PluginSettings } from './settings.ts'
import { createSeams } from './seams.ts'
import type { Seams } from './seams.ts'
import { createSight } from './sight.ts'
import { createWithheld } from './withheld.ts'

/** What all registrations with the same settings share, and how it ends. */
export interface Shared {
  readonly scene: Scene
  readonly here: SourceHere
  close(): Promise<void>
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
    async ask(call, signal) {
      if (here.closed()) throw new Error(STOPPED)
      here.warm()
      return server.ask(call, signal)
    },
  }
  const { deadlineMs, failClosed } = settings
  return {
    here,
    scene: {
      settings,
      asker: createAsker({ source: elsewhere ?? here, instant: here, deadlineMs, failClosed, log }),
      ledger: createLedger({ now }),
      cache: createScanCache({ now }),
      withheld: createWithheld(),
      seams: seamsOf(api),
      sight: createSight(),
      instant: () => server === undefined && here.instant(),
      folders: new Map(),
      log,
    },
    async close() {
      server?.close()
      await here.close()
    },
  }
}
