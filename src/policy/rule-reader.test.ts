import { expect, test } from 'vitest'
import { readRules } from './read-rules.ts'
import type { PolicyLayer, PolicySource } from './rule.ts'
import { createRuleReader } from './rule-reader.ts'

const source = (text: string, layer: PolicyLayer = 'user', name = 'p.cedar'): PolicySource => ({ layer, name, text })
const PERMIT = '@id("a") permit (principal, action, resource);'

test('an unchanged source is not parsed again', () => {
  const read = createRuleReader()
  expect(read(source(PERMIT))).toBe(read(source(PERMIT)))
})

test.each([
  { name: 'another text', other: source(PERMIT.replace('"a"', '"b"')) },
  { name: 'another layer, with other permissions', other: source(PERMIT, 'project') },
  { name: 'another name, for messages', other: source(PERMIT, 'user', 'q.cedar') },
  { name: 'half a character and another half', other: source(`${PERMIT} // \udc00`) },
])('$name is parsed separately', ({ other }) => {
  const read = createRuleReader()
  for (const before of [source(PERMIT), source(`${PERMIT} // \ud800`)]) read(before)
  expect(read(other)).toEqual(readRules(other))
  expect([source(PERMIT), source(`${PERMIT} // \ud800`)].map((one) => read(one) === read(other))).toEqual([
    false,
    false,
  ])
})

test('another thread parses nothing again, and has the same rules', () => {
  const [first, changed] = [source(PERMIT), source(PERMIT.replace('"a"', '"b"'))]
  const here = createRuleReader()
  const read = here(first)
  const known = structuredClone(here.known())
  const there = createRuleReader(known)
  expect(there(first)).toBe(known[0]?.[1])
  expect(there(first)).toEqual(read)
  expect(there(changed)).toEqual(readRules(changed))
})
