import type { Effect } from '../../protocol/evidence.ts'

/**
 * An effect in short: `kind`, `?` when only possible, `+trait` each, `@zone` of its path targets. Unknown targets lie in
 * `unresolved`. Examples beside the command table are written this way.
 */
export const effectNotation = (effect: Effect): string => {
  const zones = effect.targets.flatMap((target) =>
    target.type === 'path' ? [target.zone] : target.type === 'unknown' ? ['unresolved'] : [],
  )
  const certainty = effect.certainty === 'possible' ? '?' : ''
  const traits = effect.traits.map((trait) => `+${trait}`).join('')
  const places = [...new Set(zones)].toSorted().join(',')
  return `${effect.kind}${certainty}${traits}${places === '' ? '' : `@${places}`}`
}

/** Whether an effect says no more than that a program runs, or git does something; examples leave those out. */
export const isPlainRun = (effect: Effect): boolean =>
  effect.kind === 'vcs.change' ||
  (effect.kind === 'exec.run' && effect.targets.every((target) => target.type === 'command'))
