import { describe, expect, test } from 'vitest'
import { analyseEffects } from '../analyse-effects.ts'
import { DEFAULT_EFFECT_BUDGET } from '../engine/analysis.ts'
import { effectNotation } from '../effect-notation.fixture.ts'
import { GUARD, callOf } from '../fixture.ts'
import { createGivenWorld } from '../world/given-world.ts'
import { tokenize } from './tokens.ts'

const harms = (command: string, file: string, text: string): readonly string[] =>
  analyseEffects(callOf('Bash', { command }), {
    world: createGivenWorld({ files: { [`/home/user/app/${file}`]: text } }),
    guard: GUARD,
    budget: DEFAULT_EFFECT_BUDGET,
  })
    .effects.map(effectNotation)
    .filter((one) => /^(?:fs\.delete|exec\.(?:decoded|remote))/.test(one))

const RUN = "require('child_process').execSync('rm -rf /')"

/** Code that hides the ends of strings, and the harm after it. */
const HIDDEN: readonly (readonly [name: string, text: string])[] = [
  ['a quote in a pattern', `const r = /'/\n${RUN}`],
  ['a quote in a pattern on the same line', `const r = /'/; ${RUN}; const q = /'/`],
  ['a quote in a class of a pattern', `text.split(/[/'"]/); ${RUN}`],
  ['a pattern after a keyword', `const f = () => { return /"/.test(x) }; ${RUN}`],
  ['code in a template', `const x = \`a \${${RUN}} b\``],
  ['code in a template in a template', `const x = \`a \${y ? \`\${${RUN}}\` : ''} b\``],
  ['a backtick in a hole of a template', `const x = \`\${a ? \`b\` : \`c\`}\`; ${RUN}`],
  [
    'a name of several letters before a sign without blanks',
    "const line='rm -rf /';require('child_process').execSync(line)",
  ],
  ['a string that is not closed', `const x = 'abc\n${RUN}`],
]

/** Text that is neither a string nor code, despite its look. */
const HARMLESS: readonly (readonly [name: string, text: string])[] = [
  ['a pattern that is tried on decoded text', "const t = atob(x)\nconst m = /a'b/.exec(t)"],
  [
    'a method that is written here',
    'class A { eval(text) { return atob(text) } }\nconst text = atob(x)\nclass B { eval(text) { } }',
  ],
  ['a method of an object', 'const text = atob(x)\nlist[0].eval(text)'],
  ['divisions', "const a = b / c; const s = 'rm -rf /'; const d = e / f"],
  ['a division behind a bracket', 'const a = (b + c) / 2, s = "execSync(\'rm -rf /\')", d = a / 2'],
  ['a pattern of harm', "const r = /execSync\\('rm -rf \\/'\\)/"],
]

describe('where code and strings end in JavaScript', () => {
  test.each(HIDDEN)('%s', (_, text) => {
    expect(harms('node x.js', 'x.js', text)).toContain('fs.delete+recursive+force@root')
  })
  test.each(HARMLESS)('%s', (_, text) => {
    expect(harms('node x.js', 'x.js', text)).toEqual([])
  })
})

test.each([
  ['python3 x.py', 'x.py', "x = f\"a {__import__('os').system('rm -rf /')} b\""],
  ['ruby x.rb', 'x.rb', 'x = "a #{system(\'rm -rf /\')} b"'],
])('%s: code in a string with holes runs', (command, file, text) => {
  expect(harms(command, file, text)).toContain('fs.delete+recursive+force@root')
})

test('tokens of nested holes come to an end', () => {
  expect(tokenize('`${'.repeat(20_000), 'javascript').length).toBeLessThan(200_000)
})
