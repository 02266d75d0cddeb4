import type { Json, JsonObject } from '../protocol/json.ts'
import type { AgentRef, SessionRef, Step } from '../protocol/step.ts'

/** A file in which a host keeps a conversation with a model that it reports by no event. */
export interface Transcript {
  /** Absolute path. */
  readonly path: string
  readonly session: SessionRef
  readonly agent: AgentRef
}

/** A transcript that has grown, as a step tells. */
export interface TranscriptCue extends Transcript {
  /** Text that the transcript ends with once the host has written all of it. */
  readonly endsWith?: string
  /** The session is over: what is written now is all there will be. */
  readonly ended: boolean
  /** What it is read for was written before the step came: nothing is waited for. */
  readonly rests?: true
}

/** How far a transcript was read. Bytes from its start. */
export interface TranscriptPlace {
  /** Where the context of the next turn begins. */
  readonly offset: number
  /** End of the last answer that was taken. */
  readonly taken: number
  /** Hash of the bytes before `taken`: another one means that the file was written anew. */
  readonly mark: string
}

/** One call of a model: what was put to it since its last answer, and the answer. */
export interface ModelTurn {
  /** Follows from the answer alone: the same whenever and in whatever pieces the transcript is read. */
  readonly id: string
  /** Messages, oldest first. */
  readonly input: Json
  readonly output: Json
  readonly model?: string
  readonly usage?: JsonObject
  readonly stopReason?: string
  /** The host's id of the person's turn that the call was part of. */
  readonly turn?: string
  /** How far the transcript is read with this turn. */
  readonly place: TranscriptPlace
}

/** A call that the host asked its person about, who said no. */
export interface RefusedCall {
  readonly callId: string
  /** What they said to it. */
  readonly words?: string
  /** The host's id of the person's turn that the call was part of. */
  readonly turn?: string
}

/** What a transcript tells, in its order. A refusal may be told again when the transcript is read on. */
export type TranscriptNews =
  | { readonly news: 'turn'; readonly turn: ModelTurn }
  | { readonly news: 'refusal'; readonly refusal: RefusedCall }

/** What came of reading. `refused`: the file is none that a host would write. */
export type TranscriptRead =
  /** `whole`: it ends as the cue has told, and nothing waits for more. `size` in bytes. */
  | { readonly outcome: 'read'; readonly whole: boolean; readonly size: number }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'refused'; readonly why: string }

/** How a transcript is to be read. */
export interface ReadOrder {
  /** Where to go on; default: the start, which is also where a file that was written anew is read from. */
  readonly from?: TranscriptPlace
  /** Text that marks the last answer as whole. */
  readonly endsWith?: string
  /** Nothing more is waited for: the last answer is taken as it stands. */
  readonly settled: boolean
}

/** Reads the transcripts of one host. */
export interface TurnSource {
  readonly host: string
  /** The transcript that has grown when this step came; `undefined` where none has. Touches no file. */
  cue(step: Step): TranscriptCue | undefined
  /** Transcripts of subagents that belong to a main one. Never rejects. */
  subagents(main: Transcript): Promise<readonly Transcript[]>
  /** Gives one piece of news after the other to `take`, each once the one before is taken in. Rejects when `take` does. */
  read(transcript: Transcript, order: ReadOrder, take: (news: TranscriptNews) => Promise<void>): Promise<TranscriptRead>
}
