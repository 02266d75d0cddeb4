/** Widens a stretch so that it parts no surrogate pair. */
export const wholeCharacters =
  (text: string) =>
  <T extends { readonly start: number; readonly end: number }>(one: T): T => ({
    ...one,
    start: splits(text, one.start) ? one.start - 1 : one.start,
    end: splits(text, one.end) ? one.end + 1 : one.end,
  })

const splits = (text: string, at: number): boolean =>
  at > 0 &&
  at < text.length &&
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 &&
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
