const DAYS_OF = { d: 1, h: 1 / 24, w: 7 } as const

/** Days in an age such as 30d, 12h or 4w; `undefined` when it is none. */
export const daysOf = (age: string): number | undefined => {
  const [, count, unit] = /^(\d{1,6})([dhw])$/.exec(age) ?? []
  return count === undefined || unit === undefined ? undefined : Number(count) * DAYS_OF[unit as keyof typeof DAYS_OF]
}

const MINUTES = { m: 1, h: 60, d: 1_440 } as const

/** `30m`, `2h` or `1d` as minutes; `undefined` when it is no such time. */
export const minutesOf = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * MINUTES[unit as keyof typeof MINUTES]
}
