import { createMasker } from '../evidence/detectors/mask.ts'
import type { Masker } from '../evidence/detectors/mask.ts'
import { createScanner } from '../evidence/detectors/scanner.ts'
import { createMaskingDetectors } from './detectors.ts'

/** Masks what is to be kept or shown. */
export const createTraceMasker = (budgetBytes: number): Masker =>
  createMasker(createScanner({ detectors: createMaskingDetectors(), budgetBytes }))
