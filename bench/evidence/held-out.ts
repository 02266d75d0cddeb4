import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OPTIONS } from '../../scripts/train/build-model.ts'
import type { CrossValidation } from '../../scripts/train/cross-validate.ts'
import { crossValidate } from '../../scripts/train/cross-validate.ts'
import { heldOutFigures } from '../../scripts/train/held-out-figures.ts'
import { measuredPart } from '../../scripts/train/page.ts'
import { readWordVectors } from '../../scripts/train/word-vectors.ts'

type Figures = Readonly<Record<string, number>>

const root = join(import.meta.dirname, '../..')

const refuse = (why: string): Figures => {
  console.error(`NOT MEASURED: injection on sources held out: ${why}`)
  return {}
}

const tryToRun = async (): Promise<CrossValidation | string> => {
  try {
    return await crossValidate(readWordVectors(join(root, 'node_modules/.cache/train'), OPTIONS.words))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Trains the model of injections again in this run, six times without a fold of sources and once on all, and gives what
 * the six say of texts whose sources they have not seen. Figures are given only where the model of all texts is, byte for
 * byte, the one that ships; otherwise they would be those of another model, and `model_is_reproduced` is 0.
 */
export const measureHeldOut = async (): Promise<Figures> => {
  const ran = await tryToRun()
  if (typeof ran === 'string') return refuse(ran)
  if (!Buffer.from(ran.file).equals(readFileSync(join(root, 'models/injection.bin'))))
    return {
      'injection.model_is_reproduced': 0,
      ...refuse('models/injection.bin is not what this data and this code make. Run npm run train.'),
    }
  const page = readFileSync(join(root, 'docs/detectors/injection.md'), 'utf8')
  const isTold = page.includes(measuredPart(ran))
  if (!isTold) console.error('docs/detectors/injection.md tells other figures than these. Run npm run train.')
  return {
    'injection.model_is_reproduced': 1,
    'injection.page_is_current': isTold ? 1 : 0,
    ...heldOutFigures(ran.judged),
  }
}
