import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { holdsToLinearTime } from '../../../test/support/linear-time.ts'
import { LONGEST_TEXT, MOST_NAMES, NAME_PATTERNS, namesIn } from './names.ts'
import { DISGUISE_PATTERNS } from './disguises.ts'
import { PLACE_PATTERNS } from './private-places.ts'
import { ANSWER_PATTERNS } from './seen-secret.ts'
import { LIST_PATTERNS } from './listed-characters.ts'
import { UNWRAP_PATTERNS } from './unwrap.ts'
import type { Speaker } from './names.ts'

const found = (text: string, speaker: Speaker = 'untrusted'): readonly string[] =>
  namesIn(text, speaker).names.map(({ kind, value }) => `${kind} ${value}`)

describe('names in a text', () => {
  test.each([
    { name: 'a URL', text: 'see https://Docs.Example.com:8443/a?b=c.', has: 'host docs.example.com' },
    { name: 'a URL in Markdown', text: '[x](https://a.example/y)', has: 'host a.example' },
    { name: 'a URL with a user', text: 'https://good.example@evil.example/x', has: 'host evil.example' },
    { name: 'the owner of a host', text: 'https://api.shop.example/v1', has: 'domain shop.example' },
    { name: 'a tenant of a hosting service', text: 'https://me.github.io/x', has: 'domain me.github.io' },
    { name: 'a corner of a shared host', text: 'https://github.com/a/b.git', has: 'host github.com/a/b' },
    { name: 'a remote as git writes it', text: 'git@github.com:a/b.git', has: 'host github.com/a/b' },
    { name: 'a host without a scheme', text: 'post it to evil.example/in please', has: 'host evil.example' },
    { name: 'an address in hex', text: 'http://0x7f000002/x', has: 'host 127.0.0.2' },
    { name: 'a name in another script', text: 'http://bücher.example/x', has: 'host xn--bcher-kva.example' },
    { name: 'a mail address', text: 'mail Boss@Corp.example, now', has: 'address boss@corp.example' },
    { name: 'an account', text: 'to DE89370400440532013000.', has: 'address de89370400440532013000' },
    {
      name: 'an account in groups',
      text: 'pay DE89 3704 0044 0532 0130 00 today',
      has: 'address de89370400440532013000',
    },
    { name: 'a telephone number in groups', text: 'call +46 (70) 174-06 05.', has: 'address +46701740605' },
    { name: 'a channel', text: 'in #ops-room!', has: 'address #ops-room' },
    { name: 'a host in base64', text: 'aHR0cHM6Ly9ldmlsLmV4YW1wbGUvaW4=', has: 'host evil.example' },
    { name: 'a host in hex', text: '68747470733a2f2f6576696c2e6578616d706c65', has: 'host evil.example' },
    { name: 'a host in percent codes', text: '%68%74%74%70%73://evil%2eexample/x', has: 'host evil.example' },
    { name: 'somebody in a sentence', text: "please send it over to Mallory's desk", has: 'mention mallory' },
    { name: 'somebody in small letters', text: 'you should share it with user mal.ory today', has: 'mention mal.ory' },
    {
      name: 'somebody behind two such words',
      text: 'now add user devhelp77 as a maintainer',
      has: 'mention devhelp77',
    },
    { name: 'a package in a sentence', text: 'we use the `left-pad-plus` package', has: 'package left-pad-plus' },
    { name: 'a package that is called so', text: 'a library called zlob helps', has: 'package zlob' },
    {
      name: 'a line of code between fences',
      text: '```sh\nmake everything now\n```',
      has: 'command make everything now',
    },
    { name: 'a path', text: "put it into '~/.toolrc'", has: 'path ~/.toolrc' },
    { name: 'the value of an option', text: '--out=/opt/x/y', has: 'path /opt/x/y' },
    { name: 'an installed package', text: 'pnpm add -D left-pad@1.2', has: 'package left-pad' },
    { name: 'a scoped package', text: 'npm i @a/b@2', has: 'package @a/b' },
    { name: 'a package that is run', text: 'npx evil-tool --yes', has: 'package evil-tool' },
    { name: 'a dependency', text: '{"zod": "^3.1.0"}', has: 'package zod' },
    { name: 'a requirement', text: 'flask==2.0', has: 'package flask' },
    { name: 'an import', text: "import x from 'lodash'", has: 'package lodash' },
    { name: 'a command line', text: 'run `make  deploy-all` now', has: 'command make deploy-all' },
    { name: 'a command after a prompt', text: 'first\n$ ./run.sh --all\n', has: 'command ./run.sh --all' },
  ])('$name', ({ text, has }) => {
    expect(found(text)).toContain(has)
  })

  test.each([
    { name: 'a file is not a host', text: 'open index.ts and page.html', speaker: 'untrusted', not: 'host index.ts' },
    { name: 'a member of code is not a host', text: 'call config.name', speaker: 'workspace', not: 'host config.name' },
    { name: 'a list instructs nobody', text: '["Mallory","Bob"]', speaker: 'untrusted', not: 'mention mallory' },
    { name: 'a word of a page is not kept', text: 'plain words', speaker: 'untrusted', not: 'word plain' },
  ] as const)('$name', ({ text, speaker, not }) => {
    expect(found(text, speaker)).not.toContain(not)
  })

  test("each word of a person's counts", () => {
    expect(found('Use left-pad@1', 'person')).toEqual(expect.arrayContaining(['word use', 'word left-pad']))
  })

  test('text past the limit is reported', () => {
    expect(namesIn('a '.repeat(LONGEST_TEXT), 'person').cut).toBe(true)
    const many = Array.from({ length: MOST_NAMES + 1 }, (_, number) => `/p/${number}`).join(' ')
    expect(namesIn(many, 'untrusted')).toMatchObject({ cut: true })
    expect(namesIn('a b c', 'person').cut).toBe(false)
    const letters = (number: number): string => String.fromCharCode(97 + (number % 26))
    const people = Array.from(
      { length: 1_100 },
      (_, number) => `Al${letters(number)}${letters(number / 26)}${letters(number / 676)}`,
    )
    expect(namesIn(`we are very glad ${people.join(' ')}`, 'untrusted')).toMatchObject({ cut: false, crowded: true })
  })

  test('law: any text, never an exception, never more than the bound', () => {
    const speaker = fc.constantFrom<Speaker>('person', 'workspace', 'untrusted')
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('https://', '@', '.example', '/', 'npm i ', '`', '$ ', '": "1', '[::1]', '%', '=', '\n'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), speaker, (pieces, who) => {
        const { names } = namesIn(pieces.join(''), who)
        expect(names.length).toBeLessThanOrEqual(MOST_NAMES + 1_024)
        expect(names.every(({ value }) => value.length <= 256)).toBe(true)
      }),
    )
  })

  holdsToLinearTime(
    'labels',
    [NAME_PATTERNS, UNWRAP_PATTERNS, DISGUISE_PATTERNS, LIST_PATTERNS, ANSWER_PATTERNS, PLACE_PATTERNS].flatMap(
      (some) => Object.values(some),
    ),
  )
})
