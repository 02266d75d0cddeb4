import type { Candidate, KeywordRule } from '../rule.ts'
import { isPlaceholder } from './placeholder.ts'
import { looksRandom } from './randomness.ts'

/** A value in quotes or bare; variables are excluded. */
const ARGUMENT = String.raw`(?:"([^"$\\\r\n]{4,256})"|'([^'\r\n]{4,256})'|([^\s"'$<>|;&(){}\\\`]{4,256}))`

/** Arguments between a program and the relevant one: a few, without another command. */
const ARGUMENTS = String.raw`(?:[ \t]{1,4}[^\s|;&<>]{1,128}){0,10}[ \t]{1,4}`

const password = ({ value }: Candidate): number | undefined =>
  isPlaceholder(value) || /^\d+$|^(?:pass(?:wd|word)?|pwd|secret|token)\d*$/i.test(value) ? undefined : 0.85

/** A value that is written to a secret store is a secret, if it resembles one at all. */
const stored = ({ value }: Candidate): number | undefined =>
  isPlaceholder(value) || !looksRandom(value, 2.8, true) ? undefined : 0.85

/** Secrets in the arguments of commands that expect them there. */
export const COMMAND_LINE_RULES: readonly KeywordRule[] = [
  {
    type: 'command-password',
    severity: 'high',
    confidence: 0.85,
    anchors: ['mysql', 'mariadb'],
    pattern: `(?<![A-Za-z0-9_/-])(?:mysql(?:dump|admin|import|check|show|sh)?|mariadb(?:-dump|-admin)?)${ARGUMENTS}-p(?![a-z]{1,16}=|ort|rotocol|lugin|ager|rompt)${ARGUMENT}`,
    assess: password,
  },
  {
    type: 'command-password',
    severity: 'high',
    confidence: 0.85,
    anchors: ['sshpass'],
    pattern: `sshpass[ \\t]{1,4}-p[ \\t]{0,4}${ARGUMENT}`,
    assess: password,
  },
  {
    type: 'stored-secret',
    severity: 'high',
    confidence: 0.85,
    anchors: ['gh secret set'],
    pattern: `gh secret set${ARGUMENTS}(?:--body|-b)(?:=|[ \\t]{1,4})${ARGUMENT}`,
    assess: stored,
  },
  {
    type: 'stored-secret',
    severity: 'high',
    confidence: 0.85,
    anchors: ['put-parameter', 'create-secret', 'put-secret-value', 'keyvault secret set'],
    pattern: `(?:put-parameter|create-secret|put-secret-value|keyvault secret set)${ARGUMENTS}--(?:value|secret-string)(?:=|[ \\t]{1,4})${ARGUMENT}`,
    assess: stored,
  },
]
