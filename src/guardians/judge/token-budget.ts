/** A limit on the tokens of any hour. */
export interface TokenBudget {
  readonly isUsedUp: () => boolean
  use(tokens: number): void
}

const HOUR_MS = 3_600_000
/** Parts of an hour that are counted together. */
const PART_MS = 60_000

/** Makes an unused one. Requests in progress when it is used up still count. */
export const createTokenBudget = (perHour: number, now: () => number): TokenBudget => {
  let parts: readonly { readonly at: number; readonly tokens: number }[] = []
  const recent = (): typeof parts => {
    const from = now() - HOUR_MS
    parts = parts.filter(({ at }) => at > from)
    return parts
  }
  return Object.freeze<TokenBudget>({
    isUsedUp: () => recent().reduce((sum, { tokens }) => sum + tokens, 0) >= perHour,
    use(tokens) {
      const at = Math.floor(now() / PART_MS) * PART_MS
      const known = recent()
      const last = known.at(-1)
      parts =
        last?.at === at ? [...known.slice(0, -1), { at, tokens: last.tokens + tokens }] : [...known, { at, tokens }]
    },
  })
}
