import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fake } from '../../../../test/support/fake.ts'
import { createSecretsDetector } from './secrets-detector.ts'

const detector = createSecretsDetector()
const found = (text: string): readonly (readonly [string, string])[] =>
  detector.detect(text, 'tool').map(({ type, start, end }) => [type, text.slice(start, end)] as const)

const aws = fake('AKIA', 16, 'base32')
const github = fake('ghp_', 36)
const word = ['Tr0ub4', 'dor&3'].join('')
/** A letter with a token in it, wrapped as in mail: the token spans the end of a line. */
const wrapped = (lineEnd: string): string =>
  (btoa(`Dear all, here is the token of the build: ${github} and do not lose it.`).match(/.{1,76}/g) ?? []).join(
    lineEnd,
  )
const halves = [github.slice(0, 12), github.slice(12)] as const

describe('encoded and split secrets', () => {
  test.each([
    { name: 'base64', text: ['config: ', btoa(`id=${aws}\n`), '\n'], type: 'aws-access-key' },
    {
      name: 'base64 for URLs',
      text: ['x ', btoa(`~~~ token ${github}`).replaceAll('+', '-').replaceAll('/', '_'), ''],
      type: 'github-token',
    },
    { name: 'base64 in base64', text: ['x: ', btoa(`a: ${btoa(`key ${github}`)} b`), ''], type: 'github-token' },
    {
      name: 'base64 of a database URL',
      text: ['DB=', btoa(`postgres://app:${word}@db/shop`), '\n'],
      type: 'database-url',
    },
    {
      name: 'percent codes',
      text: ['https://x/?to=https%3A%2F%2Fdeploy%3A', encodeURIComponent(word), '%40git.corp.net%2F'],
      type: 'url-password',
    },
    { name: 'literals joined by +', text: ['key = "', `${halves[0]}" + "${halves[1]}`, '"'], type: 'github-token' },
    { name: 'literals joined by .', text: ["$key = '", `${halves[0]}' . '${halves[1]}`, "';"], type: 'github-token' },
    { name: 'literals over lines', text: ['key = ("', `${halves[0]}"\n    "${halves[1]}`, '")'], type: 'github-token' },
    {
      name: 'three literals',
      text: ['"', `${halves[0]}" +\n "${halves[1].slice(0, 9)}" + '${halves[1].slice(9)}`, "'"],
      type: 'github-token',
    },
    {
      name: 'a Kubernetes secret',
      text: ['apiVersion: v1\nkind: Secret\ndata:\n  username: YWRtaW4=\n  word: ', btoa(word), '\ntype: Opaque\n'],
      type: 'kubernetes-secret',
    },
    {
      name: 'a Kubernetes secret, its kind last',
      text: ['data:\n  word: "', btoa(word), '"\nkind: Secret\nmetadata:\n  name: shop\n'],
      type: 'kubernetes-secret',
    },
    {
      name: 'a Kubernetes secret in JSON',
      text: ['{"kind":"Secret","data":{"word":"', btoa(word), '"},"type":"Opaque"}'],
      type: 'kubernetes-secret',
    },
    { name: 'base64 over lines', text: ['mail:\n', wrapped('\n'), '\n--x'], type: 'github-token' },
    { name: 'base64 over lines of JSON', text: ['{"body":"', wrapped('\\r\\n'), '"}'], type: 'github-token' },
    {
      name: 'a Kubernetes secret in plain text',
      text: ['kind: Secret\nstringData:\n  user: shop\n  conn: ', word, '\ntype: Opaque\n'],
      type: 'kubernetes-secret',
    },
    {
      name: 'the same in JSON',
      text: ['{"kind":"Secret","stringData":{"host":"db","conn":"', word, '"},"type":"Opaque"}'],
      type: 'kubernetes-secret',
    },
  ])('$name', ({ text, type }) => {
    expect(found(text.join(''))).toEqual([[type, text[1]]])
  })

  test('every value of a manifest counts', () => {
    const text = `kind: Secret\ndata:\n  a: ${btoa(word)}\n  b: ${btoa(`${word}x`)}\n---\nkind: Pod\ndata:\n  c: ${btoa(word)}\n`
    expect(found(text)).toEqual([
      ['kubernetes-secret', btoa(word)],
      ['kubernetes-secret', btoa(`${word}x`)],
    ])
  })
})

describe('encoded and split text without secrets', () => {
  test.each([
    { name: 'an image', text: `data:image/png;base64,${fake('iVBORw0KGgo', 4000, 'base64')}` },
    { name: 'text in base64', text: btoa('nothing in here is worth hiding, is it?') },
    { name: 'a placeholder in base64', text: btoa('password=changeme and token=<your token>') },
    { name: 'a checksum', text: `sha512-${fake('', 86, 'base64')}==` },
    { name: 'joined words', text: '"the quick " + "brown fox"; f("a" + b, "c" . "d")' },
    { name: 'a list of words', text: '["ghp_", "abc", "def"], ("x", "y")' },
    { name: 'an encoded address', text: 'https://x/?q=a%20b%26c%3Dd&r=%F0%9F%98%80' },
    { name: 'a config map', text: `kind: ConfigMap\ndata:\n  word: ${btoa(word)}\n` },
    { name: 'a sealed secret', text: `kind: SealedSecret\ndata:\n  word: ${btoa(word)}\n` },
    { name: 'a template', text: 'kind: Secret\ndata:\n  word: {{ .Values.word | b64enc }}\n  other: ${WORD}\n' },
    { name: 'placeholders', text: `kind: Secret\ndata:\n  word: ${btoa('changeme')}\n  user: ${btoa('admin')}\n` },
    { name: 'a certificate', text: `kind: Secret\ndata:\n  ca: ${btoa('-----BEGIN CERTIFICATE-----\nMIIB')}\n` },
    {
      name: 'a block of text in a secret',
      text: 'kind: Secret\nstringData:\n  conf.yaml: |\n    a: b\n    level: 3\n',
    },
    { name: 'plain placeholders', text: 'kind: Secret\nstringData:\n  word: ${WORD}\n  port: 5432\n  debug: "true"\n' },
    { name: 'a certificate over lines', text: (fake('MIIDdzCCAl', 900, 'base64').match(/.{1,64}/g) ?? []).join('\n') },
    { name: 'the kind alone', text: 'kind: Secret\nmetadata:\n  name: shop\n' },
  ])('$name', ({ text }) => {
    expect(found(text)).toEqual([])
  })
})

describe('laws', () => {
  test('a token is found at any split of its literal, and the match covers it whole', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: github.length - 1 }),
        fc.constantFrom('" + "', "' . '", '"\n\t"'),
        (at, joint) => {
          const value = github.slice(0, at) + joint + github.slice(at)
          const quote = joint.charAt(0)
          expect(found(`x = ${quote}${value}${quote}`)).toEqual([['github-token', value]])
        },
      ),
    )
  })
  test('a token is found in base64 after any text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z ]{0,20}$/), (before) => {
        const value = btoa(`${before} ${github} `)
        expect(found(`v: ${value}\n`)).toEqual([['github-token', value]])
      }),
    )
  })
})
