const MINUTES = { m: 1, h: 60, d: 1_440 } as const

/** `30m`, `2h` or `1d` as minutes; `undefined` when it is no such time. */
export const minutesOf = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * MINUTES[unit as keyof typeof MINUTES]
}
