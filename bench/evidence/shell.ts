import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createGivenGuard, givenSurface, givenWorld } from '../../src/assembly/guard/given-guard.ts'
import type { GivenGuard } from '../../src/assembly/guard/given-guard.ts'
import { loadConfig } from '../../src/config/load.ts'
import { compileLayers } from '../../src/config/policies.ts'
import { readPacks, shippedPacks } from '../../src/config/policy-files.ts'
import { toStep } from '../../src/policy/case.ts'
import { readCommands, readTexts } from './slices.ts'
import { share } from './tally.ts'

const HOME = '/home/user'
const CWD = '/home/user/project'

type Figures = Record<string, number>

const guardWith = (packs: readonly string[]): GivenGuard => {
  const compiled = compileLayers([readPacks(shippedPacks(), packs)], HOME)
  if ('problems' in compiled) throw new Error(`the packs ${packs.join(', ')} do not compile`)
  return createGivenGuard({ config: loadConfig([]), policiesFor: () => compiled.set, surface: givenSurface(HOME) })
}

/** The answer on a command: denied, asked or allowed; with the deciding rules. */
interface Said {
  readonly answer: 'denied' | 'asked' | 'allowed'
  readonly rules: readonly string[]
}

const said = async (guard: GivenGuard, command: string): Promise<Said> => {
  const world = givenWorld({ files: { [CWD]: null }, env: { HOME }, home: HOME })
  const step = toStep({ command, cwd: CWD, project: CWD })
  const { verdict } = await guard.decide(step, { world, labels: [], alone: true })
  const answers = { deny: 'denied', defer: 'denied', ask: 'asked', modify: 'allowed', allow: 'allowed' } as const
  return { answer: answers[verdict.decision], rules: verdict.reasonCodes }
}

/** Commands counted by their answers. */
type Counts = Record<Said['answer'], number>

const noCounts = (): Counts => ({ denied: 0, asked: 0, allowed: 0 })

const countFigures = (lead: string, { denied, asked, allowed }: Counts): Figures => {
  const all = denied + asked + allowed
  return all === 0 ? {} : { [`${lead}denied`]: share(denied, all), [`${lead}asked`]: share(asked, all) }
}

/** Both sets of dcg, with the packs for their content. */
const measureDcg = async (guard: GivenGuard, list: (line: string) => void): Promise<Figures> => {
  const figures: Figures = {}
  const both = { deny: noCounts(), allow: noCounts() }
  for (const name of ['dcg-corpus', 'dcg-packs']) {
    const one = { deny: noCounts(), allow: noCounts() }
    for (const { command, expected } of readCommands(name)) {
      const { answer, rules } = await said(guard, command)
      one[expected][answer]++
      both[expected][answer]++
      if ((expected === 'deny') !== (answer === 'denied'))
        list(`${name} ${expected} ${answer} ${rules.join(',')} ${JSON.stringify(command)}`)
    }
    Object.assign(figures, countFigures(`${name}.denies_`, one.deny), countFigures(`${name}.allows_`, one.allow))
  }
  return { ...figures, ...countFigures('dcg.denies_', both.deny), ...countFigures('dcg.allows_', both.allow) }
}

/** Shares of commands denied and asked about, by the word after `shell:` in their kind. */
const measureRows = async (
  guard: GivenGuard,
  name: string,
  list: ((line: string) => void) | undefined,
): Promise<Figures> => {
  const groups = new Map<string, Counts>()
  for (const { text, kind = '' } of readTexts(name)) {
    const dialect = kind.split(':')[1] ?? ''
    const group = groups.get(dialect) ?? noCounts()
    groups.set(dialect, group)
    const { answer, rules } = await said(guard, text)
    group[answer]++
    if (answer !== 'allowed') list?.(`${name} ${answer} ${rules.join(',')} ${JSON.stringify(text)}`)
  }
  const named = [...groups].map(([dialect, counts]) =>
    countFigures(`${name}.${dialect === '' ? '' : `${dialect}_`}`, counts),
  )
  return Object.assign({}, ...named) as Figures
}

/** The share of commands with a judgement of others that the whole guard denies: analysis, detectors, policies. */
export const measureShell = async (list: (line: string) => void): Promise<Figures> => {
  const baseline = guardWith(['baseline'])
  const hasCloud = existsSync(join(shippedPacks(), 'cloud', 'policies.cedar'))
  return {
    ...(await measureDcg(hasCloud ? guardWith(['baseline', 'cloud']) : baseline, list)),
    ...(await measureRows(baseline, 'shell_atomic_red_team', undefined)),
    ...(await measureRows(baseline, 'shell_tldr_benign', list)),
  }
}
