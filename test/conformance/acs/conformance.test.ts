import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { openManifest } from '../manifest.ts'
import { openAsker } from './asker.ts'
import type { Reply } from './asker.ts'
import { proveDecisions } from './prove-decisions.ts'
import { proveIntegrity } from './prove-integrity.ts'
import { proveNegotiation } from './prove-negotiation.ts'
import { ACS_REQUIREMENTS } from './requirements.ts'

const asker = openAsker()
const prover = openManifest(ACS_REQUIREMENTS)
proveNegotiation(prover, asker)
proveDecisions(prover, asker)
proveIntegrity(prover, asker)

const schemas = join(process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../shared'), 'specs/acs')

prover.prove(['schema'], 'everything that was said in this file', (context) => {
  expect(asker.said.length).toBeGreaterThan(80)
  if (!existsSync(schemas)) {
    process.stderr.write(`SKIPPED: no ACS schemas at ${schemas}; nothing was checked against them\n`)
    context.skip()
    return
  }
  const read = (name: string): Reply =>
    JSON.parse(readFileSync(join(schemas, `${name}.condensed.json`), 'utf8')) as Reply
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const response = read('response-envelope')
  const base = String(response['$id']).replace('response-envelope.json', '')
  ajv.addSchema(read('request-envelope'))
  ajv.addSchema(read('hooks-tool-call')['modifications'] as Reply, `${base}modifications.json`)
  // The condensed schemas leave these two out.
  for (const name of ['ask-details.json', 'defer-details.json']) ajv.addSchema({ type: 'object' }, `${base}${name}`)
  const validate = ajv.compile(response)
  const wrong = asker.said.filter((one) => !validate(one)).map((one) => [one, ajv.errorsText(validate.errors)])
  expect(wrong).toEqual([])
})

prover.close()
