/** The result of a bench: figures by name, and their goals. */
export interface Measured {
  readonly figures: Readonly<Record<string, number>>
  readonly goals: readonly { readonly figure: string; readonly op: '<=' | '>='; readonly value: number }[]
}

export type Bench = () => Promise<Measured>

/** The value below which a share of the samples is; `share` from 0 to 1. */
export const quantile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Rounded to three places: more would claim what these machines cannot show. */
export const rounded = (value: number): number => Math.round(value * 1000) / 1000
