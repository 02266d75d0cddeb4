import { readFileSync } from 'node:fs'
import { decodeModel } from '../../evidence/detectors/injection/injection-model.ts'
import type { InjectionModel } from '../../evidence/detectors/injection/injection-model.ts'
import { INJECTION_MODEL } from '../../package/package-files.ts'

/** Reads the model that ships with the package. */
export const readInjectionModel = (path: string = INJECTION_MODEL): InjectionModel => decodeModel(readFileSync(path))
