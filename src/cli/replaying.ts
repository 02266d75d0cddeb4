import { readFileSync } from 'node:fs'
import process from 'node:process'
import { dataFiles } from '../config/data-folder.ts'
import { guardSurface } from '../config/guard-surface.ts'
import { configLocations } from '../config/locations.ts'
import type { ConfigLocations } from '../config/locations.ts'
import { createReplayingGuard } from '../config/replaying-guard.ts'
import { openSettings } from '../config/settings.ts'
import { loadedSqlParser } from '../config/sql-parser.ts'
import { SallyportError } from '../errors.ts'
import { isObject } from '../protocol/json.ts'
import type { Replayer } from '../record/replay/replay-session.ts'
import type { AuditableStore } from '../record/stores/store.ts'
import { verifyTrace } from '../record/trace/verify.ts'
import type { ExitCode, Io } from './io.ts'
import { faultWords, jsonLine, visible } from './trace-view.ts'

/** The process that guards from this data folder now; 0 when there is none. */
const pidOf = (data: string): number => {
  try {
    const value: unknown = JSON.parse(readFileSync(dataFiles(data).guard, 'utf8'))
    return isObject(value) && typeof value['pid'] === 'number' ? value['pid'] : 0
  } catch {
    return 0
  }
}

/** Decides recorded steps by the settings as they are written now, or by those with `draft` in the user's place. */
export const openReplayer = async (
  { command, data, io }: { readonly command: string; readonly data: string; readonly io: Io },
  draft?: string,
): Promise<Replayer> => {
  const own = configLocations(io.env, io.home, process.platform)
  const locations: ConfigLocations = draft === undefined ? own : { ...own, user: draft }
  const settings = openSettings({ locations, data, home: io.home }, (report) => {
    io.err(`sallyport ${command}: ${visible(jsonLine(report))}`)
  }).current()
  const surface = guardSurface({ data, locations: own, pid: pidOf(data), port: settings.config.server.port })
  return createReplayingGuard({ ...settings, surface, sql: await loadedSqlParser() })
}

/** Recomputes the hashes of a session, or of all. @throws SallyportError SP_TRACE_BROKEN when something was changed */
export const proveTrace = async (store: Pick<AuditableStore, 'audit'>, session?: string): Promise<void> => {
  const { faults, more } = await verifyTrace(store, session === undefined ? {} : { session })
  const [first] = faults
  if (first === undefined) return
  const others = faults.length + more - 1
  const detail = `${visible(faultWords(first))}${others === 0 ? '' : `, and ${others} more`}`
  throw new SallyportError('SP_TRACE_BROKEN', { detail })
}

/** The exit code for a trace that was changed, once the person is told; any other error goes on. */
export const refusedTrace = (error: unknown, command: string, io: Io): ExitCode => {
  if (!(error instanceof SallyportError) || error.code !== 'SP_TRACE_BROKEN') throw error
  io.err(`sallyport ${command}: ${error.code}: ${error.message}`)
  return 1
}
