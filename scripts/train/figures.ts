import { areaUnderCurve } from '../../bench/evidence/tally.ts'
import { partAbove, thresholdAt } from './metrics.ts'

/** A text with its probability. */
export interface Scored {
  readonly source: string
  readonly kind: string
  readonly attack: boolean
  readonly channel: 'user' | 'tool'
  readonly score: number
}

const percent = (part: number): string => (Number.isNaN(part) ? '-' : `${(part * 100).toFixed(1)} %`)

/** Sets whose benign part is no fair measure: noisy labels, or one kind of text thousands of times. */
const NO_MEASURE = ['pi_neuralchemy', 'shell_tldr_benign']

/** Thresholds and, per source, what they find: a table for the docs. */
export const figuresOf = (scored: readonly Scored[]): string => {
  const lines: string[] = []
  for (const channel of ['tool', 'user'] as const) {
    const own = scored.filter((one) => one.channel === channel)
    const benign = own.filter((one) => !one.attack && !NO_MEASURE.includes(one.source)).map(({ score }) => score)
    const one = thresholdAt(benign, 0.01)
    const grave = thresholdAt(benign, 0.001)
    lines.push(`\n${channel}: ${benign.length} benign texts; 1 % at ${one.toFixed(3)}, 0.1 % at ${grave.toFixed(3)}\n`)
    lines.push(
      '| source | attacks | AUC | TPR at 1 % | TPR at 0.1 % | benign | flagged at 1 % |',
      '|---|---|---|---|---|---|---|',
    )
    for (const source of new Set(own.map((text) => text.source))) {
      const attacks = own.filter((text) => text.source === source && text.attack).map(({ score }) => score)
      const clean = own.filter((text) => text.source === source && !text.attack).map(({ score }) => score)
      lines.push(
        `| ${source} | ${attacks.length} | ${attacks.length === 0 ? '-' : areaUnderCurve(attacks, benign).toFixed(3)} | ${percent(partAbove(attacks, one))} | ${percent(partAbove(attacks, grave))} | ${clean.length} | ${percent(partAbove(clean, one))} |`,
      )
    }
  }
  return lines.join('\n')
}

/** How many benign texts of each source reach each threshold: what the defaults are chosen by. */
export const thresholdTable = (scored: readonly Scored[]): string => {
  const steps = [0.6, 0.65, 0.7, 0.72, 0.74, 0.76, 0.78, 0.8, 0.82, 0.85, 0.9]
  const lines = [`\n| benign source | ${steps.join(' | ')} |`]
  for (const [source, group] of Map.groupBy(scored, (one) => `${one.source} ${one.attack ? 'attacks' : ''}`)) {
    const scores = group.map(({ score }) => score)
    lines.push(`| ${source} | ${steps.map((step) => percent(partAbove(scores, step))).join(' | ')} |`)
  }
  return lines.join('\n')
}
