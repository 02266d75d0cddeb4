/** What doctor found out about one thing. */
export interface Check {
  /** One word or two: what was looked at. */
  readonly name: string
  /** `fail`: a step could pass unguarded, or none can pass at all. */
  readonly status: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** What to do about it. */
  readonly advice?: string
}

/** All is well with something. */
export const ok = (name: string, found: string): Check => ({ name, status: 'ok', found })

/** Something the person should know. */
export const warn = (name: string, found: string, advice: string): Check => ({ name, status: 'warn', found, advice })

/** Something that has to be mended. */
export const fail = (name: string, found: string, advice: string): Check => ({ name, status: 'fail', found, advice })
