const XML_END = /<\/arg_value>>+$/

const WHOLE = /^(?:\/|~(?:\/|$)|file:)/i

/**
 * The paths that OpenClaw's file tools may read from a text: `@` in front marks a reference, unless a file of the
 * workspace has that name; `file:` URLs and remains of a model's markup are understood (dist/path-utils,
 * dist/path-policy).
 */
export const pathsFor = (text: string): readonly string[] => {
  const path = text.replace(XML_END, '')
  if (!path.startsWith('@')) return fromReference(path)
  const referred = path.slice(1)
  return WHOLE.test(referred) ? fromReference(referred) : [referred === '' ? '.' : `./${referred}`, `./${path}`]
}

const fromReference = (path: string): readonly string[] => {
  if (!/^file:\/\//i.test(path)) return [path]
  if (!URL.canParse(path)) return [path]
  const { pathname } = new URL(path)
  try {
    return [decodeURIComponent(pathname)]
  } catch {
    return [pathname]
  }
}
