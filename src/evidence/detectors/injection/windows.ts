/** Lengths of windows in units, and how far apart they begin: short ones for a sentence in a long text. */
const WINDOWS = [
  { units: 60, step: 30 },
  { units: 20, step: 10 },
] as const

/** The longest window. */
export const LONGEST_WINDOW = 60

/** Calls `visit` with every window of so many units; each unit lies in one, and a short text is one window. */
export const eachWindow = (units: number, visit: (from: number, to: number) => void): void => {
  for (const [number, window] of WINDOWS.entries()) {
    if (number > 0 && units <= window.units) return
    for (let from = 0; ; from += window.step) {
      const to = Math.min(units, from + window.units)
      visit(from, to)
      if (to >= units) break
    }
  }
}
