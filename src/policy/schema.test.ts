import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemaToJson } from '@cedar-policy/cedar-wasm/nodejs'
import { expect, test } from 'vitest'
import { STEP_KINDS } from '../protocol/step.ts'
import { schemaText } from './schema.ts'

test('the shipped schema for editors is the one in use', () => {
  const file = join(import.meta.dirname, '../../policies/schema.cedarschema')
  expect(readFileSync(file, 'utf8')).toBe(schemaText())
})

test('the schema is valid and has exactly one action for each step kind', () => {
  const answer = schemaToJson(schemaText())
  if (answer.type === 'failure') throw new Error(answer.errors[0]?.message)
  expect(Object.keys(answer.json['']?.actions ?? {}).toSorted()).toEqual(STEP_KINDS.toSorted())
})
