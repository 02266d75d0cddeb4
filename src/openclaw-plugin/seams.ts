import { describeError } from '../errors.ts'
import { HOST_TESTED } from '../hosts/openclaw/host-internals.ts'
import { SEAM_NAMES, SEAMS } from '../hosts/openclaw/seam-table.ts'
import type { SeamName } from '../hosts/openclaw/seam-table.ts'
import { reasonText } from '../hosts/reason-text.ts'
import type { Protection } from './modes.ts'

/** The protection that is none without the seam. */
const KEEPS: { readonly [S in SeamName]: Protection } = {
  'text-transforms': 'outbound-block',
  'output-place': 'outbound-block',
  'output-argument': 'outbound-block',
  'runtime-context': 'inbound-block',
  'request-context': 'inbound-block',
  before_agent_run: 'inbound-block',
  before_tool_call: 'tool-guard',
  'tool-result': 'tool-redact',
}

/** The protections that a host can take away by changing its insides. */
export const LEANING: readonly Protection[] = [...new Set(Object.values(KEEPS))]

/**
 * `unseen`: nothing has been due there yet. `passed`: it holds. `strayed`: it was passed, or is made up for, and something
 * has gone past it once. `lost`: it was due and is not there.
 */
export type SeamState = 'unseen' | 'passed' | 'strayed' | 'lost'

/** A seam as status tells it. */
export interface SeamReport {
  readonly seam: SeamName
  readonly of: string
  readonly state: SeamState
}

/** What this gateway has shown of its seams. The host's code does not change while it runs: what is proved stays so. */
export interface Seams {
  /** Something has passed there. */
  pass(seam: SeamName): void
  has(seam: SeamName): boolean
  /** Something was due there and is not: the protection is closed from now on. Said once. */
  lose(seam: SeamName): void
  /** Something is not as it was, and looked after all the same: it is only told. Said once. */
  stray(seam: SeamName, what: string): void
  /** Why no run may begin, for whoever wants one, where one of these protections has lost its seam. */
  closed(protections: readonly Protection[]): string | undefined
  report(): readonly SeamReport[]
  /** What has been said so far: of lost seams, and of those that were only strayed from. */
  told(): { readonly faults: readonly string[]; readonly gaps: readonly string[] }
  /** Who is told from now on; the latest registration of the plugin. */
  tell(listener: (sentence: string, fault: boolean) => void): void
}

/** Begins with nothing seen. `version` is the host's own word of itself. */
export const createSeams = (version: () => string): Seams => {
  const states = new Map<SeamName, SeamState>()
  const faults = new Map<SeamName, string>()
  const gaps = new Map<SeamName, string>()
  let listener: (sentence: string, fault: boolean) => void = () => undefined

  const sentence = (seam: SeamName, what: string): string =>
    describeError('SP_OPENCLAW_SEAM', { version: version(), seam, of: SEAMS[seam].of, what, tested: HOST_TESTED })
  return Object.freeze<Seams>({
    pass(seam) {
      if (!states.has(seam)) states.set(seam, 'passed')
    },
    has: (seam) => states.get(seam) === 'passed' || states.get(seam) === 'strayed',
    lose(seam) {
      if (states.get(seam) === 'lost') return
      states.set(seam, 'lost')
      faults.set(seam, sentence(seam, SEAMS[seam].gone))
      listener(faults.get(seam) ?? '', true)
    },
    stray(seam, what) {
      if (states.get(seam) === 'lost' || gaps.has(seam)) return
      states.set(seam, 'strayed')
      gaps.set(seam, sentence(seam, what))
      listener(gaps.get(seam) ?? '', false)
    },
    closed(protections) {
      const seam = [...faults.keys()].find((one) => protections.includes(KEEPS[one]))
      return seam === undefined ? undefined : reasonText(describeError('SP_OPENCLAW_CLOSED', { seam }))
    },
    report: () => SEAM_NAMES.map((seam) => ({ seam, of: SEAMS[seam].of, state: states.get(seam) ?? 'unseen' })),
    told: () => ({ faults: [...faults.values()], gaps: [...gaps.values()] }),
    tell(to) {
      listener = to
    },
  })
}
