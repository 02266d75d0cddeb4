import { SallyportError } from '../../errors/errors.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'

/** Masks what is stored, and reports where. */
export type MaskText = (value: JsonObject) => { readonly value: JsonObject; readonly masked: readonly string[] }

/** The name and the reason that a person enters. */
export interface PersonText {
  readonly by: string
  readonly reason: string
}

/** UTF-16 code units. */
const LONGEST_NAME = 100
const LONGEST_REASON = 1_000

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const bad = (detail: string): SallyportError => new SallyportError('SP_APPROVAL_INPUT', { detail })

/**
 * The text of a person as it is stored: it is shown to the agent and recorded, so secrets in it are masked.
 * @throws SallyportError SP_APPROVAL_INPUT without a name, or when it is too long
 */
export const personText = ({ by, reason }: PersonText, mask: MaskText): PersonText => {
  if (by.trim() === '' || by.length > LONGEST_NAME) throw bad(`a name has 1 to ${LONGEST_NAME} characters`)
  if (reason.length > LONGEST_REASON) throw bad(`a reason has at most ${LONGEST_REASON} characters`)
  const { value } = mask({ by, reason })
  return { by: textOf(value['by']), reason: textOf(value['reason']) }
}
