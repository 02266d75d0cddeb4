const MINUTES = { m: 1, h: 60, d: 1_440, w: 10_080 } as const

/** Minutes of a period such as `30m`, `12h`, `7d` or `4w`; `undefined` for any other text. */
export const minutesIn = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * MINUTES[unit as keyof typeof MINUTES]
}
