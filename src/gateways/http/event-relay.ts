import type { IncomingMessage } from 'node:http'
import { createEventReader, eventOf, isOneEvent } from '../frames/events.ts'
import type { StreamEvent } from '../frames/events.ts'
import { edgesIds, readMessage } from '../mcp/message.ts'
import type { ReadMessage } from '../mcp/message.ts'
import type { Answering } from './answering.ts'
import type { Link } from './links.ts'

/** Ids of the events of one stream. */
export interface EventIds {
  arrived(id?: string): Place
  /**
   * Marks an event as forwarded or left out, and returns the id to send with what is written now: that of the last event
   * up to which all are settled, so that a client that resumes from it misses nothing.
   */
  settled(place: Place, isWritten: boolean): string | undefined
}

interface Place {
  readonly id: string | undefined
  isSettled: boolean
}

/** Creates the ids of a stream. */
const createEventIds = (): EventIds => {
  const places: Place[] = []
  let reached: string | undefined
  return Object.freeze<EventIds>({
    arrived(id) {
      const place = { id, isSettled: false }
      places.push(place)
      return place
    },
    settled(place, isWritten) {
      place.isSettled = true
      for (let first = places[0]; first?.isSettled === true; first = places[0]) {
        reached = first.id ?? reached
        places.shift()
      }
      if (!isWritten) return undefined
      const id = reached
      reached = undefined
      return id
    },
  })
}

/** Most events under decision, and bytes of them; a stream with more is not read for now. */
const MOST_OPEN = 100
const MOST_BYTES = 32 << 20

/** The two ends of a stream. */
export interface EventEnds {
  readonly answering: Answering
  readonly link: Link
  /** Sends a message of our own to the server. */
  readonly toServer: (text: string) => void
  /** Learns what the server sends. */
  readonly seen: (read: ReadMessage) => void
  /** Bytes of one event. */
  readonly longest: number
}

/**
 * Passes a server's events on to the client, each once it is decided. Resolves at the end of the stream with whether it
 * can be resumed.
 */
export const relayEvents = async (response: IncomingMessage, ends: EventEnds): Promise<boolean> => {
  const { answering, link, toServer, seen, longest } = ends
  const reader = createEventReader(longest)
  const ids = createEventIds()
  const open = new Set<Promise<void>>()
  const held = { bytes: 0 }
  let isResumable = false

  /** The last message that arrived: a comment or an id after it must not overtake it. */
  let last: { isOut: boolean; readonly followers: (() => void)[] } = { isOut: true, followers: [] }

  const quiet = ({ raw, id }: Extract<StreamEvent, { kind: 'quiet' }>): void => {
    const place = ids.arrived(id)
    const write = (): void => {
      const now = ids.settled(place, id !== undefined)
      if (now === id && raw.length > 0) answering.write(raw)
      else if (now !== undefined) answering.write(`id: ${now}\ndata:\n\n`)
    }
    if (last.isOut) write()
    else last.followers.push(write)
  }
  const decided = async (event: Exclude<StreamEvent, { kind: 'quiet' }>): Promise<void> => {
    const { id, retry, raw } = event.kind === 'message' ? event : {}
    const place = ids.arrived(id)
    const own = { isOut: false, followers: [] as (() => void)[] }
    last = own
    const out = (): void => {
      own.isOut = true
      for (const follow of own.followers.splice(0)) follow()
    }
    const read: ReadMessage =
      event.kind === 'message'
        ? readMessage(event.data)
        : { outcome: 'refused', why: event.why, ...edgesIds(event.edges) }
    seen(read)
    await link.receive('server', { kind: 'read', read }, (to, text) => {
      if (to === 'server') return toServer(text)
      const now = ids.settled(place, true)
      const isSame = read.outcome === 'message' && read.message.text === text && now === id && isOneEvent(text)
      answering.write(
        isSame && raw !== undefined
          ? raw
          : eventOf(text, { ...(now === undefined ? {} : { id: now }), ...(retry === undefined ? {} : { retry }) }),
      )
      return out()
    })
    ids.settled(place, false)
    out()
  }
  const onEvent = (event: StreamEvent): void => {
    if (event.kind !== 'unusable' && event.id !== undefined) isResumable = true
    if (event.kind === 'quiet') return quiet(event)
    const size = event.kind === 'message' ? event.data.length : event.edges.length
    held.bytes += size
    const done = decided(event).finally(() => {
      held.bytes -= size
      open.delete(done)
    })
    open.add(done)
  }
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      for (const event of reader.take(chunk)) {
        onEvent(event)
        while (open.size > MOST_OPEN || held.bytes > MOST_BYTES) await Promise.race(open)
      }
      await answering.drained()
    }
  } catch {
    // It broke off: half an event is none.
  }
  await Promise.all(open)
  return isResumable
}
