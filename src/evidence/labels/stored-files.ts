import { isLoopback } from '../../protocol/network-host.ts'
import type { Effect, Finding, Target } from '../../protocol/evidence.ts'
import type { Digest } from './digest.ts'
import type { SessionState } from './session-state.ts'

/** Files of one call that are remembered, and looked up. */
const MOST_FILES = 64

const pathsOf = (effects: readonly Effect[]): readonly string[] =>
  effects
    .flatMap(({ targets }) => targets.flatMap((target) => (target.type === 'path' ? [target.path] : [])))
    .slice(0, MOST_FILES)

/** Takes in which files a call that is let through fills with a secret, or with a whole tree or database. */
export const learnStored = (effects: readonly Effect[], state: Pick<SessionState, 'learn'>, digest: Digest): void => {
  for (const as of ['whole', 'secret'] as const) {
    const writes = effects.filter(({ kind, traits }) => kind === 'fs.write' && traits.includes(as))
    for (const path of pathsOf(writes)) state.learn({ fact: 'kept', path: digest(`kept ${path}`), as })
  }
}

const goesOut = ({ kind, targets }: Effect): boolean =>
  kind === 'net.send' && targets.some((target: Target) => target.type === 'host' && !isLoopback(target.host))

/** Findings for files that a call sends and that an earlier call of the session filled. */
export const storedSent = (
  effects: readonly Effect[],
  state: Pick<SessionState, 'keptAt'>,
  digest: Digest,
): readonly Finding[] => {
  const sends = effects.filter(goesOut)
  const reads = effects.filter(({ kind }) => kind === 'fs.read')
  if (sends.length === 0 || reads.length === 0) return []
  const held = new Set(pathsOf(reads).map((path) => state.keptAt(digest(`kept ${path}`))))
  const types = [
    ...(held.has('secret') ? (['kept-secret'] as const) : []),
    ...(held.has('whole') ? (['kept-whole'] as const) : []),
  ]
  return types.map((type) => ({
    category: 'exfiltration',
    type,
    severity: type === 'kept-secret' ? 'critical' : 'high',
    confidence: 0.9,
    span: { pointer: '/input', start: 0, end: 0 },
    detector: 'labels',
  }))
}
