const PERCENT = /(?:%[0-9A-Fa-f]{2}){1,}/g

const fromPercent = (text: string): string =>
  text.replace(PERCENT, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('latin1'))

const LONG_BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,2048}={0,2}/g
const LONG_HEX = /(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}){8,1024}/g
const READABLE = /^[\x20-\x7e\s]{8,}$/

/** Patterns that are applied to whole texts, for the test of linear time. */
export const UNWRAP_PATTERNS = { base64: LONG_BASE64, hex: LONG_HEX, percent: PERCENT }

/** The readable texts in base64, hex or percent codes of a text, each also one level deeper. Linear. */
export const readableIn = (text: string, depth = 2): readonly string[] => {
  if (depth === 0) return []
  const forms: string[] = []
  for (const [run] of text.matchAll(LONG_BASE64)) forms.push(Buffer.from(run, 'base64').toString('latin1'))
  for (const [run] of text.matchAll(LONG_HEX)) forms.push(Buffer.from(run, 'hex').toString('latin1'))
  if (/%[0-9A-Fa-f]{2}/.test(text)) forms.push(fromPercent(text))
  const readable = forms.filter((form) => READABLE.test(form))
  return [...readable, ...readable.flatMap((form) => readableIn(form, depth - 1))]
}
