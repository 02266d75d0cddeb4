import { withoutMasks } from './mask-text.ts'

/** Names that describe their value. Others would only cost a second scan. */
const DESCRIPTIVE_NAME =
  /pass|pwd|secret|token|key|credential|auth|api|ssn|social|phone|mobile|\btel|card|iban|account|signature|cookie|bearer|birth|dob|licen[cs]e|insurance|nino|nhs|medicare|\b(?:mbi|itin|tax|tfn|cpf|pan|dni|nie|nif|nir|bsn|ip)|aadhaar|fiscal|steuer|ausweis|pesel|nric|personnummer|wallet/i

/** Whether a name describes its value; the words of a mask in it do not count. */
export const isTelling = (name: string): boolean => DESCRIPTIVE_NAME.test(withoutMasks(name.slice(0, 512)))

/**
 * The context of a named value: `name: "`. Only the characters of names are kept: a quote would end it early, and a
 * terminal sequence or the beginning of a comment would absorb the value.
 */
export const leadOf = (name: string): string =>
  `${withoutMasks(name.slice(0, 512))
    .slice(-128)
    .replaceAll(/[^\p{L}\p{N}.$@:-]/gu, '_')}: "`
