import type { Effect } from '../../../protocol/evidence.ts'

/**
 * Whether an effect is harmful in a text that may never run: reading, listing, starting programs and unknown effects
 * are not.
 */
export const isHarm = ({ kind, targets, traits }: Effect): boolean => {
  switch (kind) {
    case 'exec.run':
    case 'unresolved':
    case 'fs.list':
    case 'env.read':
    case 'vcs.read':
    case 'vcs.change':
    case 'tool.call':
    case 'service.change':
      return false
    case 'fs.read':
      return targets.some((target) => target.type === 'path' && /^(?:credential|dotenv|guard)$/.test(target.zone))
    case 'fs.write':
      return targets.some(
        (target) => target.type === 'path' && !/^(?:workspace|temp|cache|unresolved)$/.test(target.zone),
      )
    case 'fs.delete':
      return (
        traits.includes('recursive') ||
        targets.some((target) => target.type === 'path' && !/^(?:temp|cache|unresolved)$/.test(target.zone))
      )
    default:
      return true
  }
}

/** The same for a person's settings: what they do with their own repository and services is their decision. */
export const isHarmOfSettings = (effect: Effect): boolean =>
  isHarm(effect) &&
  !/^(?:vcs|db|cloud|net|process|package)\.|^(?:secret\.read|secret\.write|privilege\.raise)$/.test(effect.kind)
