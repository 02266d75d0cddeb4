/** The result of one of doctor's checks. */
export interface Check {
  /** One or two words: what was checked. */
  readonly name: string
  /** `fail`: a step could pass unguarded, or none can pass at all. */
  readonly status: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** What to do about it. */
  readonly advice?: string
}

/** A check without faults. */
export const ok = (name: string, found: string): Check => ({ name, status: 'ok', found })

/** Something that the person should know. */
export const warn = (name: string, found: string, advice: string): Check => ({ name, status: 'warn', found, advice })

/** A fault to repair. */
export const fail = (name: string, found: string, advice: string): Check => ({ name, status: 'fail', found, advice })
