import type { Linear } from './logistic.ts'

/** Weights beyond so many standard deviations are cut: few n-grams may not cost all others their steps. */
const CUT = 8

/** Weights in whole steps of one byte. */
export const quantise = ({ weights, bias }: Linear): { weights: Int8Array; scale: number; bias: number } => {
  let squares = 0
  let used = 0
  let most = 0
  for (const weight of weights) {
    if (weight === 0) continue
    squares += weight * weight
    used++
    most = Math.max(most, Math.abs(weight))
  }
  const scale = Math.min(most, CUT * Math.sqrt(squares / Math.max(1, used))) / 127
  return {
    weights: Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight / scale)))),
    scale,
    bias,
  }
}
