import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OPTIONS } from '../../scripts/train/build-model.ts'
import type { CrossValidation } from '../../scripts/train/cross-validate.ts'
import { crossValidate } from '../../scripts/train/cross-validate.ts'
import { heldOutFigures } from '../../scripts/train/held-out-figures.ts'
import { measuredPart } from '../../scripts/train/page.ts'
import { readWordVectors } from '../../scripts/train/word-vectors.ts'

type Figures = Readonly<Record<string, number>>
type Say = (line: string) => void

const root = join(import.meta.dirname, '../..')

/** The shipped model, and the page with its figures. */
export interface Shipped {
  readonly model: Uint8Array
  readonly page: string
}

/**
 * The figures of a cross-validation, only where the model it made of all texts is, byte for byte, the one that ships:
 * otherwise they would be those of another model, and `model_is_reproduced` is 0.
 */
export const figuresFor = (ran: CrossValidation, { model, page }: Shipped, say: Say): Figures => {
  if (!Buffer.from(ran.file).equals(model)) {
    say('NOT MEASURED: injection on sources held out: models/injection.bin is not what this data and this code make.')
    return { 'injection.model_is_reproduced': 0 }
  }
  const isTold = page.includes(measuredPart(ran))
  if (!isTold) say('docs/injection-figures.md tells other figures than these. Run npm run train.')
  return {
    'injection.model_is_reproduced': 1,
    'injection.page_is_current': isTold ? 1 : 0,
    ...heldOutFigures(ran.judged),
  }
}

/**
 * Trains the model of injections again in this run, six times without a fold of sources and once on all, and gives what
 * the six say of texts whose sources they have not seen. Nothing, said loudly, without the data or the word vectors.
 */
export const measureHeldOut = async (say: Say = console.error): Promise<Figures> => {
  try {
    const ran = await crossValidate(readWordVectors(join(root, 'node_modules/.cache/train'), OPTIONS.words))
    const model = readFileSync(join(root, 'models/injection.bin'))
    return figuresFor(ran, { model, page: readFileSync(join(root, 'docs/injection-figures.md'), 'utf8') }, say)
  } catch (error) {
    say(`NOT MEASURED: injection on sources held out: ${error instanceof Error ? error.message : String(error)}`)
    return {}
  }
}
