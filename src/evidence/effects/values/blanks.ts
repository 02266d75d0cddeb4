/**
 * Replaces each run of blanks by one, a line end if it contains one. Texts are normalised in this way before they are
 * searched for a form that allows blanks in several places: on long runs an expression would take quadratic time.
 */
export const oneBlank = (text: string): string => text.replace(/\s{2,}/g, (run) => (run.includes('\n') ? '\n' : ' '))
