import type { Transcript, TranscriptPlace } from '../../core/model-turns.ts'

/** A transcript with something unread. */
export interface UnreadTranscript extends Transcript {
  /** Its session is over. */
  readonly ended: boolean
}

/**
 * Keeps how far transcripts are read. What is lost of it costs time only: which turns are recorded, the trace says.
 * Each call has kept what it says when it returns.
 */
export interface TurnCursors {
  /** Notes that a transcript has something unread. */
  unread(transcript: UnreadTranscript, at: number): void
  place(transcript: Transcript): TranscriptPlace | undefined
  moved(transcript: Transcript, place: TranscriptPlace): void
  /** Notes that all of it is read, for now. */
  read(transcript: Transcript): void
  /** Forgets a session. */
  clear(session: string): void
  /** What a guard before this one has left unread. */
  left(): readonly UnreadTranscript[]
  close(): void
}
