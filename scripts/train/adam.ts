/** Adam over one array of parameters: each `step` takes the gradient and clears it. */
export interface Adam {
  step(rate: number): void
}

const FAST = 0.9
const SLOW = 0.999

/** Makes the optimiser of these parameters. */
export const createAdam = (values: Float32Array, gradient: Float32Array, decay: number): Adam => {
  const mean = new Float32Array(values.length)
  const square = new Float32Array(values.length)
  let steps = 0
  return Object.freeze({
    step: (rate: number) => {
      steps++
      const first = 1 - FAST ** steps
      const second = 1 - SLOW ** steps
      for (let at = 0; at < values.length; at++) {
        const slope = (gradient[at] ?? 0) + decay * (values[at] ?? 0)
        mean[at] = FAST * (mean[at] ?? 0) + (1 - FAST) * slope
        square[at] = SLOW * (square[at] ?? 0) + (1 - SLOW) * slope * slope
        values[at] =
          (values[at] ?? 0) - (rate * ((mean[at] ?? 0) / first)) / (Math.sqrt((square[at] ?? 0) / second) + 1e-7)
      }
      gradient.fill(0)
    },
  })
}
