import { withoutMasks } from './mask-text.ts'

/** Names that tell what their value is. Others would only cost a second look. */
const TELLING_NAME =
  /pass|pwd|secret|token|key|credential|auth|api|ssn|social|phone|mobile|\btel|card|iban|account|signature|cookie|bearer|birth|dob|licen[cs]e|insurance|nino|nhs|medicare|\b(?:mbi|itin|tax|tfn|cpf|pan|dni|nie|nif|nir|bsn|ip)|aadhaar|fiscal|steuer|ausweis|pesel|nric|personnummer|wallet/i

/** Whether a name tells something by itself; the words of a mask in it tell nothing. */
export const isTelling = (name: string): boolean => TELLING_NAME.test(withoutMasks(name.slice(0, 512)))

/**
 * What stands before a value that has a name: `name: "`. Only what names are made of is kept of it: a quote would end it
 * early, and a sequence of a terminal or the beginning of a comment would take the value in.
 */
export const leadOf = (name: string): string =>
  `${withoutMasks(name.slice(0, 512))
    .slice(-128)
    .replaceAll(/[^\p{L}\p{N}.$@:-]/gu, '_')}: "`
