/** What keys and tokens of the guard look like. */
const SAMPLES = [
  'q7Zk-X0v_w9TgYc2LmRb5JhN8dFpWs3EuKa6QiVo4nM',
  '9f83c0e7a16b2d45f09e8c71b3a2d6540e1f7c98b25a3d6e4f10c7b8a9d2e356',
]

/** Whether a search for any of these patterns shows a line that holds nothing but a random token. @param fixed they are no expressions */
export const mayShowToken = (patterns: readonly string[], fixed = false): boolean =>
  patterns.some((text) => {
    if (fixed) return SAMPLES.some((sample) => sample.includes(text))
    try {
      // Basic expressions write some signs with a backslash.
      const both = [text, text.replace(/\\([(){}|+?])/g, '$1')]
      return both.some((one) => SAMPLES.some((sample) => new RegExp(one, 'i').test(sample)))
    } catch {
      return true
    }
  })
