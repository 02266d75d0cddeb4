const LONGEST = 128
const NAME = /^[\w.:@/-]{1,128}$/

/** The name of a server for which nothing better is known. */
const UNNAMED = 'mcp'

/** Whether a server can have this name in policies and the trace: 1 to 128 letters, digits or `. : @ / _ -`. */
export const isServerName = (name: string): boolean => NAME.test(name)

/** A client's name of a server, or any other, as it can stand in policies and the trace. */
export const serverNameOf = (name: string): string =>
  name
    .replaceAll(/[^\w.:@/-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, LONGEST) || UNNAMED
