/**
 * `npm run train`: reads the data, measures with sources left out, trains on all, writes models/injection.bin and what was
 * measured into docs/injection-figures.md.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OPTIONS } from './build-model.ts'
import { crossValidate } from './cross-validate.ts'
import { measuredPart, withMeasured } from './page.ts'
import { stepsTable } from './steps-table.ts'
import { readWordVectors } from './word-vectors.ts'

const root = join(import.meta.dirname, '../..')
const ran = await crossValidate(readWordVectors(join(root, 'node_modules/.cache/train'), OPTIONS.words))
console.log(ran.summary)

const part = measuredPart(ran)
const page = join(root, 'docs/injection-figures.md')
writeFileSync(page, withMeasured(readFileSync(page, 'utf8'), part))
console.log(`${part}\n\n${stepsTable(ran.judged)}`)

const path = join(root, 'models/injection.bin')
mkdirSync(join(path, '..'), { recursive: true })
writeFileSync(path, ran.file)
console.log(`${path}: version ${ran.model.version}`)
