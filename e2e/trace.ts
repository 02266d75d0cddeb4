import { z } from 'zod'
import { runCli, type CliPlace } from './cli.ts'

const TRACE_EVENT = z.looseObject({
  type: z.string(),
  seq: z.number(),
  session: z.string(),
  body: z.looseObject({}),
})

/** An event as `sallyport trace show --json` prints it. */
export type TraceEvent = z.infer<typeof TRACE_EVENT>

/** One JSON array, or an event a line. */
export const parseEvents = (text: string): readonly TraceEvent[] => {
  const whole = text.trim()
  const values: unknown = whole.startsWith('[')
    ? JSON.parse(whole)
    : whole.split('\n').map((line): unknown => JSON.parse(line))
  return z.array(TRACE_EVENT).parse(values)
}

/** Has `trace verify` find the trace whole, then reads a session's events. */
export const readTrace = async (session: string, data: string, place: CliPlace): Promise<readonly TraceEvent[]> => {
  const verified = await runCli(['trace', 'verify', '--data', data], place)
  if (verified.code !== 0) throw new Error(`trace verify ended with ${verified.code}: ${verified.out}${verified.err}`)
  const shown = await runCli(['trace', 'show', session, '--json', '--data', data], place)
  if (shown.code !== 0) throw new Error(`trace show ended with ${shown.code}: ${shown.out}${shown.err}`)
  return parseEvents(shown.out)
}
