import type { Json, JsonObject } from '../protocol/json.ts'
import type { AgentRef, SessionRef, Step } from '../protocol/step.ts'

/** A file with a conversation with a model that the host does not report by events. */
export interface Transcript {
  /** Absolute path. */
  readonly path: string
  readonly session: SessionRef
  readonly agent: AgentRef
}

/** A transcript that has grown, according to a step. */
export interface TranscriptCue extends Transcript {
  /** Text that the transcript ends with once the host has written all of it. */
  readonly endsWith?: string
  /** The session is over: what is written now is all there will be. */
  readonly ended: boolean
  /** The needed part was written before the step came: there is nothing to wait for. */
  readonly rests?: true
}

/** Position up to which a transcript was read. Bytes from its start. */
export interface TranscriptPlace {
  /** Where the context of the next turn begins. */
  readonly offset: number
  /** End of the last answer that was taken. */
  readonly taken: number
  /** Hash of the bytes before `taken`: a different one means that the file was rewritten. */
  readonly mark: string
}

/** One call of a model: its input since its last answer, and the answer. */
export interface ModelTurn {
  /** Derived from the answer alone: independent of when and in what pieces the transcript is read. */
  readonly id: string
  /** Messages, oldest first. */
  readonly input: Json
  readonly output: Json
  readonly model?: string
  readonly usage?: JsonObject
  readonly stopReason?: string
  /** The host's id of the person's turn that the call was part of. */
  readonly turn?: string
  /** Position of the transcript after this turn. */
  readonly place: TranscriptPlace
}

/** A call that the host's person refused. */
export interface RefusedCall {
  readonly callId: string
  /** The person's comment. */
  readonly words?: string
  /** The host's id of the person's turn that the call was part of. */
  readonly turn?: string
}

/** The content of a transcript, in order. A refusal may be reported again when reading continues. */
export type TranscriptNews =
  | { readonly news: 'turn'; readonly turn: ModelTurn }
  | { readonly news: 'refusal'; readonly refusal: RefusedCall }

/** The result of reading. `refused`: the file is not one that a host would write. */
export type TranscriptRead =
  /** `whole`: it ends as the cue requires, and nothing more is expected. `size` in bytes. */
  | { readonly outcome: 'read'; readonly whole: boolean; readonly size: number }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'refused'; readonly why: string }

/** Options for reading a transcript. */
export interface ReadOrder {
  /** Start position; default: the start, also for a file that was rewritten. */
  readonly from?: TranscriptPlace
  /** Text that marks the last answer as whole. */
  readonly endsWith?: string
  /** Nothing more is expected: the last answer is taken as it is. */
  readonly settled: boolean
}

/** Reads the transcripts of one host. */
export interface TurnSource {
  readonly host: string
  /** The transcript that has grown at this step; `undefined` for none. Reads no file. */
  cue(step: Step): TranscriptCue | undefined
  /** Transcripts of subagents that belong to a main one. Never rejects. */
  subagents(main: Transcript): Promise<readonly Transcript[]>
  /** Passes one item after the other to `take`, each after the one before is processed. Rejects when `take` does. */
  read(transcript: Transcript, order: ReadOrder, take: (news: TranscriptNews) => Promise<void>): Promise<TranscriptRead>
}
