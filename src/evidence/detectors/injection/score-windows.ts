import { createFeatureBlock, createFolding, readFeatures } from './hashed-features.ts'
import type { InjectionModel } from './injection-model.ts'
import { LONGEST_WINDOW, eachWindow } from './windows.ts'

/** A stretch of text and its raw logit. */
export interface ScoredWindow {
  readonly start: number
  readonly end: number
  readonly logit: number
}

/** Gives the raw logit of windows of a text: calls `visit` for each whose logit is at least `floor`. */
export type WindowScorer = (text: string, floor: number, visit: (window: ScoredWindow) => void) => void

/** Makes the scorer of a model. It owns its buffers: about 0.5 MB, however long the texts. */
export const createWindowScorer = (model: InjectionModel): WindowScorer => {
  const { bits, weights, scale, bias } = model
  const folding = createFolding()
  const block = createFeatureBlock()
  const sums = new Float64Array(block.start.length + 1)
  const scoreBlock = (text: string, floor: number, visit: (window: ScoredWindow) => void): void => {
    const { bins, binEnd, start, end, units } = block
    let sum = 0
    let at = 0
    for (let unit = 0; unit < units; unit++) {
      for (const until = binEnd[unit] ?? 0; at < until; at++) sum += weights[bins[at] ?? 0] ?? 0
      sums[unit + 1] = sum
    }
    eachWindow(units, (from, to) => {
      const count = (binEnd[to - 1] ?? 0) - (from === 0 ? 0 : (binEnd[from - 1] ?? 0))
      const logit = bias + (((sums[to] ?? 0) - (sums[from] ?? 0)) * scale) / Math.sqrt(Math.max(1, count))
      if (logit >= floor) visit({ start: start[from] ?? 0, end: end[to - 1] ?? text.length, logit })
    })
  }
  return (text, floor, visit) => {
    for (let from = 0; from < text.length;) {
      readFeatures(text, from, bits, folding, block)
      if (block.units === 0) return
      scoreBlock(text, floor, visit)
      if (block.next >= text.length) return
      // The next block begins one window earlier, so that no window is cut in two.
      from = Math.max(from + 1, block.start[block.units - LONGEST_WINDOW] ?? block.next)
    }
  }
}
