const DAYS_OF = { d: 1, h: 1 / 24, w: 7 } as const

/** Days in an age such as 30d, 12h or 4w; `undefined` when it is none. */
export const daysOf = (age: string): number | undefined => {
  const [, count, unit] = /^(\d{1,6})([dhw])$/.exec(age) ?? []
  return count === undefined || unit === undefined ? undefined : Number(count) * DAYS_OF[unit as keyof typeof DAYS_OF]
}
