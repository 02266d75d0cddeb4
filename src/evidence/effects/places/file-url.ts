/** The path of a `file:` address, percent-decoded; any other text unchanged. */
export const pathOfUrl = (text: string): string => {
  const rest = /^file:(?:\/\/(?:localhost|127\.0\.0\.1)?(?=\/))?(.*)$/is.exec(text.trim())?.[1]
  if (rest === undefined) return text
  const path = rest.replace(/[?#].*$/s, '').replace(/^\/{2,}/, '/')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Whether a text is an address of a file on this machine. */
export const isFileUrl = (text: string): boolean => /^\s*(?:view-source:)?file:/i.test(text)
