import type { Effect } from '../../protocol/evidence.ts'

/**
 * An effect in short form: `kind`, `?` when only possible, `+trait` each, `@zone` of its path targets. Unknown targets
 * are in `unresolved`. Examples next to the command table use this form.
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

/** Whether an effect is merely that a program runs, or a plain act of git; examples omit those. */
export const isPlainRun = (effect: Effect): boolean =>
  effect.kind === 'vcs.change' ||
  (effect.kind === 'exec.run' && effect.targets.every((target) => target.type === 'command'))
