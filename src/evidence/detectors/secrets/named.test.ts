import { describe, expect, test } from 'vitest'
import { fake } from '../../../../test/support/fake.ts'
import { uuid } from '../../../../test/support/secret-samples.ts'
import { createSecretsDetector } from './secrets-detector.ts'
import type { Shape } from './named-shape.ts'
import { NAMED_ROWS } from './named.ts'

/** A value of this shape. */
const valueOf = (shape: Shape, seed: number): string => {
  if (shape === 'uuid') return uuid(seed)
  const [alphabet, length] = shape
  // Signs at the edges of a value belong to it only for some providers: samples have none there.
  return fake('', length, alphabet === 'url' || alphabet === 'base64' ? 'alnum' : alphabet, seed)
}

const cases = NAMED_ROWS.flatMap(({ type, names, shapes }) =>
  shapes.map((shape, number) => ({
    type,
    name: (names[0] ?? '').replaceAll(/[_-]$/g, ''),
    shape,
    value: valueOf(shape, 7 + number),
  })),
)
const detector = createSecretsDetector()

describe('secrets next to the name of their provider', () => {
  test.each(cases)('$type is found: $shape', ({ type, name, value }) => {
    const kind = type.includes('client-id') ? 'client_id' : 'access_key'
    const texts = [
      [`${name}_${kind} = "`, value, '"'],
      [`${name.toUpperCase()}_${kind.toUpperCase()}=`, value, '\n'],
      [`{"${name}-${kind}": "`, value, '"}'],
      [`export ${name.toUpperCase()}_${kind.toUpperCase()}='`, value, "'"],
      [`  ${name}.${kind}: `, value, '\n'],
      [`${name}_${kind} := "`, value, '"'],
      [`<${name}_${kind}>`, value, '</x>'],
    ]
    expect(
      texts.map((parts) => {
        const text = parts.join('')
        return detector.detect(text, 'tool').map((match) => [match.type, text.slice(match.start, match.end)])
      }),
    ).toEqual(texts.map(([, expected = '']) => [[type, expected]]))
  })

  test.each(cases)('$type is not found in clean text: $shape', ({ type, name, value }) => {
    const texts = [
      `${name} ${value}`,
      `${name}_commit: ${value}`,
      `${name}_key_hash = "${value}"`,
      `"${name}": "${value}"`,
      `${name}_access_key = "${'x'.repeat(value.length)}"`,
      `${name}_access_key = "${value}${value}${value}"`,
      `const ${name}Key = read${name}Key()`,
    ]
    expect(texts.flatMap((text) => detector.detect(text, 'tool').filter((match) => match.type === type))).toEqual([])
  })
})
