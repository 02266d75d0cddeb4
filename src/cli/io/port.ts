import { SallyportError } from '../../errors/errors.ts'

/** The value of `--port`. @throws SallyportError for anything but a port */
export const portOf = (text: string | undefined, command: string): number | undefined => {
  if (text === undefined) return undefined
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new SallyportError('SP_USAGE', {
    detail: `--port takes a number from 0 to 65535, not "${text}".`,
    command,
  })
}
