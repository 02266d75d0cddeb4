/** Claude Code cuts strings at 10,000 characters and puts the rest into a file; ours end before. */
const LONGEST_REASON = 9_000

/** A reason in the form for a host: with our name, well-formed, and short enough. */
export const reasonText = (reason: string): string => {
  const text = (reason.trim() === '' ? 'This was refused.' : reason.trim()).toWellFormed()
  const named = text.startsWith('Sallyport') ? text : `Sallyport: ${text}`
  return named.length <= LONGEST_REASON ? named : `${named.slice(0, LONGEST_REASON).toWellFormed()} …`
}
