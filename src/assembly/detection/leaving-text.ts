import { createScanner } from '../../evidence/detectors/scanner.ts'
import { maskFor, maskRanges, maskText } from '../../evidence/detectors/text/mask-text.ts'
import type { TextRange } from '../../protocol/edit.ts'
import type { MaskText } from '../../protocol/masked-value.ts'
import { createMaskingDetectors } from './detectors.ts'

/** Most bytes of a text that are scanned before it leaves; a longer one is masked as a whole. */
const MASK_BYTES = 8 * 1024 * 1024

const createMaskingScanner = () => createScanner({ detectors: createMaskingDetectors(), budgetBytes: MASK_BYTES })

/** Masks findings of these categories or types before a text leaves this machine; loads nothing without any. */
export const maskOf = (redact: readonly string[]): MaskText => {
  if (redact.length === 0) return (_, text) => text
  const scanner = createMaskingScanner()
  return (name, text) => {
    if (text.length > MASK_BYTES) return maskFor('unscanned')
    return maskText(text, scanner.scanNamed(name, text, 'tool').matches, redact)
  }
}

/** The same as ranges, for texts whose places matter. */
export const redactOf = (
  redact: readonly string[],
): ((name: string | undefined, text: string) => readonly TextRange[]) => {
  if (redact.length === 0) return () => []
  const scanner = createMaskingScanner()
  return (name, text) => {
    if (text.length > MASK_BYTES) return [{ start: 0, end: text.length, text: maskFor('unscanned') }]
    return maskRanges(scanner.scanNamed(name, text, 'tool').matches, redact)
  }
}
