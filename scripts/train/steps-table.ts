import type { Judged } from './cross-validate.ts'
import { heldOutSets, shareOf } from './held-out-figures.ts'

/** Thresholds to choose among. */
const STEPS = [0.6, 0.65, 0.7, 0.74, 0.78, 0.8, 0.82, 0.85, 0.88, 0.9, 0.92, 0.95] as const

/** What each threshold would find of every set, for whoever chooses one. */
export const stepsTable = (judged: readonly Judged[]): string =>
  [...Map.groupBy(heldOutSets(judged), ({ channel }) => channel)]
    .map(([channel, sets]) =>
      [
        `| ${channel} | ${STEPS.join(' | ')} |`,
        ...sets.map(({ name, attack, judged: own }) => {
          const cells = STEPS.map((step) => `${(shareOf(own, ({ score }) => score >= step) * 100).toFixed(1)} %`)
          return `| ${name}${attack ? ', attacks' : ''} | ${cells.join(' | ')} |`
        }),
      ].join('\n'),
    )
    .join('\n\n')
