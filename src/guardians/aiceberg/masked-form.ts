/** What stands where a detector here has masked something, and what scanners elsewhere put there. */
const MASK = /\[masked:[a-z0-9-]{1,48}\]|X{4,}|\*{4,}/g

/** What is cut out without leaving a mask: characters that show nothing, and what moves a terminal's cursor. */
const UNSEEN = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Whether a text is another one with something masked in it, and nothing put there instead: whoever has seen the first has
 * seen all of it.
 */
export const isMaskedForm = (text: string, masked: string): boolean => {
  const whole = text.replaceAll(UNSEEN, '')
  const parts = masked.replaceAll(UNSEEN, '').split(MASK)
  const [first = '', ...others] = parts
  const last = others.pop()
  if (last === undefined) return first === whole
  if (!whole.startsWith(first)) return false
  let from = first.length
  for (const part of others) {
    const at = whole.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return whole.length - from >= last.length && whole.endsWith(last)
}
