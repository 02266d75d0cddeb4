import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createGivenGuard, givenSurface, givenWorld } from '../../src/config/given-guard.ts'
import type { GivenGuard } from '../../src/config/given-guard.ts'
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

/** Rules that refuse a command, or that a person would be asked about; none when it may run. */
const refusals = async (guard: GivenGuard, command: string): Promise<readonly string[]> => {
  const world = givenWorld({ files: { [CWD]: null }, env: { HOME }, home: HOME })
  const { verdict } = await guard.decide(toStep({ command, cwd: CWD, project: CWD }), {
    world,
    labels: [],
    alone: true,
  })
  return verdict.decision === 'allow' || verdict.decision === 'modify' ? [] : verdict.reasonCodes
}

/** Both sets of dcg, with the packs that are meant for what they hold. */
const measureDcg = async (guard: GivenGuard, list: (line: string) => void): Promise<Figures> => {
  const figures: Figures = {}
  const all = { deny: 0, denied: 0, allow: 0, refused: 0 }
  for (const name of ['dcg-corpus', 'dcg-packs']) {
    const one = { deny: 0, denied: 0, allow: 0, refused: 0 }
    for (const { command, expected } of readCommands(name)) {
      const rules = await refusals(guard, command)
      const isRefused = rules.length > 0
      one[expected]++
      if (isRefused) one[expected === 'deny' ? 'denied' : 'refused']++
      if (isRefused !== (expected === 'deny')) list(`${name} ${expected} ${rules.join(',')} ${JSON.stringify(command)}`)
    }
    if (one.deny + one.allow === 0) continue
    figures[`${name}.denies_denied`] = share(one.denied, one.deny)
    figures[`${name}.allows_denied`] = share(one.refused, one.allow)
    for (const key of ['deny', 'denied', 'allow', 'refused'] as const) all[key] += one[key]
  }
  if (all.deny > 0) figures['dcg.denies_denied'] = share(all.denied, all.deny)
  if (all.allow > 0) figures['dcg.allows_denied'] = share(all.refused, all.allow)
  return figures
}

/** Share of commands refused, by the word after `shell:` in their kind. */
const measureRows = async (
  guard: GivenGuard,
  name: string,
  list: ((line: string) => void) | undefined,
): Promise<Figures> => {
  const groups = new Map<string, { total: number; denied: number }>()
  for (const { text, kind = '' } of readTexts(name)) {
    const dialect = kind.split(':')[1] ?? ''
    const group = groups.get(dialect) ?? { total: 0, denied: 0 }
    const rules = await refusals(guard, text)
    group.total++
    if (rules.length > 0) {
      group.denied++
      list?.(`${name} ${rules.join(',')} ${JSON.stringify(text)}`)
    }
    groups.set(dialect, group)
  }
  return Object.fromEntries(
    [...groups].map(([dialect, { total, denied }]) => [
      `${name}.${dialect === '' ? '' : `${dialect}_`}denied`,
      share(denied, total),
    ]),
  )
}

/** What the guard refuses of commands that others judged, through the whole of it: analysis, detectors, policies. */
export const measureShell = async (list: (line: string) => void): Promise<Figures> => {
  const baseline = guardWith(['baseline'])
  const hasCloud = existsSync(join(shippedPacks(), 'cloud', 'policies.cedar'))
  return {
    ...(await measureDcg(hasCloud ? guardWith(['baseline', 'cloud']) : baseline, list)),
    ...(await measureRows(baseline, 'shell_atomic_red_team', undefined)),
    ...(await measureRows(baseline, 'shell_tldr_benign', list)),
  }
}
