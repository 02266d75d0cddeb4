/**
 * Blanks in a row become one, a line's end where one is among them. What is searched for a form that allows blanks in several
 * places is put so first: an expression would try a long run of them in every way, and take its time by the square.
 */
export const oneBlank = (text: string): string => text.replace(/\s{2,}/g, (run) => (run.includes('\n') ? '\n' : ' '))
