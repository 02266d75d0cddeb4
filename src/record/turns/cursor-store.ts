import type { Transcript, TranscriptPlace } from '../../core/model-turns.ts'

/** A transcript with unread content. */
export interface UnreadTranscript extends Transcript {
  /** Its session is over. */
  readonly ended: boolean
}

/**
 * Stores how far transcripts are read. A loss costs only time: the trace has the recorded turns. Each call returns
 * after its data is stored.
 */
export interface TurnCursors {
  /** Records that a transcript has unread content. */
  unread(transcript: UnreadTranscript, at: number): void
  place(transcript: Transcript): TranscriptPlace | undefined
  moved(transcript: Transcript, place: TranscriptPlace): void
  /** Records that all of it is read, for now. */
  read(transcript: Transcript): void
  /** Removes a session. */
  clear(session: string): void
  /** The unread transcripts of a previous guard. */
  left(): readonly UnreadTranscript[]
  close(): void
}
