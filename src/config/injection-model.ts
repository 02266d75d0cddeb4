import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeModel } from '../evidence/detectors/injection/injection-model.ts'
import type { InjectionModel } from '../evidence/detectors/injection/injection-model.ts'

/** Reads the model that ships with the package: 2 MB, made by `npm run train`. */
export const readInjectionModel = (
  path: string = join(import.meta.dirname, '../../models/injection.bin'),
): InjectionModel => decodeModel(readFileSync(path))
