/**
 * `opening` and `closing`: a request is under way, or nobody knows what became of it. `open`: the scanner has it.
 * `closed`: the scanner has both sides.
 */
export type EventState = 'opening' | 'open' | 'closing' | 'closed'

/** What the scanner said, in its own words. */
export interface KeptAnswer {
  readonly result: string
  readonly reason?: string
}

/** One side of an event that was told. */
export interface KeptSide extends KeptAnswer {
  /** Hash of what was sent. */
  readonly digest: string
}

/** A request that may have to be sent again. */
export interface KeptRequest {
  readonly body: Readonly<Record<string, unknown>>
  /** Of an update: the other side, where the scanner wants it too. */
  readonly input: string
}

/** An event at a scanner elsewhere. Holds no text of anybody's but in the request that is not answered yet. */
export interface KeptEvent {
  readonly id: number
  readonly session: string
  /** What it stands for in the session, such as one call. The newest of a slot is the one that is meant. */
  readonly slot: string
  /** The step that it was created with. */
  readonly step: string
  /** The scanner's word for its kind. */
  readonly type: string
  readonly state: EventState
  /** In which of its forms the step is told. */
  readonly revision: number
  /** How often the request was sent that is not answered yet. */
  readonly attempts: number
  /** Its creation says that the session begins. */
  readonly starts: boolean
  /** The scanner's id of it; absent before its first answer. */
  readonly eventId?: string
  readonly opened?: KeptSide
  readonly closed?: KeptSide
  readonly request?: KeptRequest
  /** Somebody is at it: a guard that lives, and whose time for it is not over. */
  readonly isHeld: boolean
}

/** What a new event is made of. */
export interface NewEvent extends Pick<KeptEvent, 'session' | 'slot' | 'step' | 'type' | 'revision' | 'starts'> {
  readonly digest: string
  /** Both sides are told at once. */
  readonly isWhole: boolean
  readonly request: KeptRequest
}

/** A session that something was told of. */
export interface EventSession {
  readonly session: string
  /** How often it has been begun. */
  readonly life: number
  /** The scanner has an event of this life. */
  readonly isBegun: boolean
  /** Somebody is telling the scanner of its end. */
  readonly isEnding: boolean
  /** Milliseconds since the epoch at which something was last told of it. */
  readonly at: number
  /** The same for its end; absent: it was not seen. */
  readonly endedAt?: number
}

/**
 * Keeps what was told to a scanner elsewhere, beyond the guard's own end, and for all guards over one data folder. Each call
 * has kept what it says when it returns. What is held is held until a time, in milliseconds since the epoch.
 */
export interface OpenEvents {
  /** Runs work that nobody else comes in between. */
  exclusively<T>(work: () => T): T
  /**
   * Something is about to be told of a session. Begins its next life where the last one is over; one that does not go on has
   * ended with that.
   */
  touch(session: string, goesOn: boolean): EventSession
  /** `undefined` for one that nothing was told of, or that is over. */
  session(session: string): EventSession | undefined
  /** The newest event of a slot. */
  latest(session: string, slot: string): KeptEvent | undefined
  get(id: number): KeptEvent | undefined
  /** Those of a session that are not closed, oldest first. */
  unsettled(session: string): readonly KeptEvent[]
  /** An event is about to be created. */
  opening(event: NewEvent, until: number): KeptEvent
  /** It is about to be closed. */
  closing(id: number, digest: string, request: KeptRequest, until: number): void
  /** Takes it over from a guard that has ended; `false` where somebody is at it. */
  hold(id: number, request: KeptRequest, starts: boolean, until: number): boolean
  /** Its request is about to be sent; gives for how many times. */
  sending(id: number): number
  /** The request that was sent for the so-many-th time was answered. Nothing happens where it has been sent again since. */
  answered(id: number, attempt: number, eventId: string, answer: KeptAnswer): void
  /** No answer came to it, as far as it was sent. `taken`: the scanner may have it nevertheless. */
  failed(id: number, attempt: number, taken: boolean): void
  /** It is given up. */
  dropped(id: number): void
  ended(session: string): void
  /** Takes on telling of its end; `false` where somebody is at it, or there is nothing to end. */
  beginEnding(session: string, until: number): boolean
  /** It was told, and what was kept of this life is forgotten; or else somebody has to take it on again. */
  endedEnding(session: string, isOver: boolean): void
  /** Forgets what nobody can ask for any more. */
  prune(): void
  /** Sessions that are not over. */
  left(): readonly EventSession[]
  close(): void
}
