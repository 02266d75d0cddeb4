/** Characters that stand for themselves in Cedar text; every other one is written by its number. */
const PLAIN = /[^A-Za-z0-9 _.,:;/~@%+=^$#!?()[\]{}<>|&'*-]/gu

const byNumber = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0xfffd).toString(16)}}`

/** A Cedar string literal of exactly this text, whatever it holds. Lone surrogates become U+FFFD. */
export const cedarString = (text: string): string => `"${text.toWellFormed().replace(PLAIN, byNumber)}"`

/** A Cedar `like` pattern: `*` stands for any run of characters, everything else for itself. */
export const cedarPattern = (pattern: string): string =>
  `"${pattern
    .toWellFormed()
    .split('*')
    .map((part) => part.replace(PLAIN, byNumber))
    .join('*')}"`
