import { describe, expect, test } from 'vitest'
import { fake } from '../../../test/support/fake.ts'
import { createPiiDetector } from '../../evidence/detectors/pii/pii-detector.ts'
import { createScanner } from '../../evidence/detectors/scanner.ts'
import { createSecretsDetector } from '../../evidence/detectors/secrets/secrets-detector.ts'
import type { Json } from '../../protocol/json.ts'
import { createSeams } from './seams.ts'

const token = fake('ghp_', 36)
const [first, second] = [token.slice(0, 15), token.slice(15)]
const scanner = createScanner({ detectors: [createSecretsDetector(), createPiiDetector()] })
const parts = (value: Json) => [{ pointer: '/output', value }]

describe('a value whose parts come one after the other', () => {
  test.each([
    { name: 'in two results', texts: [first, second], found: [0, second.length] },
    {
      name: 'at the end of one and the beginning of the next',
      texts: [`a\n${first}\n`, `\n${second} b`],
      found: [1, 1 + second.length],
    },
    { name: 'with another between', texts: [first, 'total of all', second], found: [0, second.length] },
    { name: 'behind an invalid end', texts: ['The end.', second], found: undefined },
    { name: 'in parts that are not a value', texts: [first.slice(0, 8), 'abc'], found: undefined },
  ])('$name', ({ texts, found }) => {
    const seams = createSeams(scanner)
    const results = texts.map((text, at) => seams.findOver('s', `${at}`, parts({ stdout: text }), 'tool'))
    const [finding] = results.flat()
    expect(finding && [finding.type, finding.span.pointer, finding.span.start, finding.span.end]).toEqual(
      found && ['github-token', '/output/stdout', ...found],
    )
  })

  test('is not a value across two sessions or tools', () => {
    const seams = createSeams(scanner)
    seams.findOver('one', '1', parts(first), 'tool')
    expect(seams.findOver('two', '2', parts(second), 'tool')).toEqual([])
  })

  test('is found again when the same step is looked at again', () => {
    const seams = createSeams(scanner)
    seams.findOver('s', '1', parts(first), 'tool')
    const once = seams.findOver('s', '2', parts(second), 'tool')
    expect(once.length).toBe(1)
    expect(seams.findOver('s', '2', parts(second), 'tool')).toEqual(once)
  })

  test('is not found over the end and the beginning of one step that is looked at again', () => {
    const seams = createSeams(scanner)
    const once = parts(`${second} and\n${first}`)
    expect([seams.findOver('s', '1', once, 'tool'), seams.findOver('s', '1', once, 'tool')]).toEqual([[], []])
    expect(seams.findOver('s', '2', once, 'tool').length).toBe(1)
  })

  test('is forgotten for those sessions that were used the longest ago', () => {
    const seams = createSeams(scanner)
    for (let session = 0; session < 600; session++) seams.findOver(`s${session}`, '1', parts(first), 'tool')
    expect(seams.findOver('s0', '2', parts(second), 'tool')).toEqual([])
    expect(seams.findOver('s599', '2', parts(second), 'tool').length).toBe(1)
  })
})
