import { SallyportError } from '../../errors/errors.ts'

/** A settings file that cannot be read or changed, with line and column of the fault. */
export const brokenSettings = (path: string, text: string, offset: number, detail: string): SallyportError => {
  const lines = text.slice(0, offset).split('\n')
  const place = `${path}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
  return new SallyportError('SP_SETTINGS_BROKEN', { place, detail })
}
