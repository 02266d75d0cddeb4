import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GAP_TRAITS } from '../../../protocol/evidence.ts'
import { analyse } from '../fixture.ts'

const HARM = 'rm -rf ~'

/** Constructs that run what stands in them, one level each. */
const AROUND: Readonly<Record<string, (inner: string) => string>> = {
  'a group': (inner) => `{ ${inner}; }`,
  'a subshell': (inner) => ` ( ${inner} )`,
  'a branch': (inner) => `if true; then ${inner}; fi`,
  'a condition': (inner) => `if ${inner}; then :; fi`,
  'an else': (inner) => `if false; then :; else ${inner}; fi`,
  'a loop': (inner) => `while true; do ${inner}; done`,
  'a condition of a loop': (inner) => `until ${inner}; do break; done`,
  'a case': (inner) => `case x in x) ${inner};; esac`,
  'a case fallen into': (inner) => `case x in x) ;& y) ${inner};; esac`,
  'a list loop': (inner) => `for i in a; do ${inner}; done`,
  'a list loop in braces': (inner) => `for i in a; { ${inner}; }`,
  'a counting loop': (inner) => `for ((;;)); do ${inner}; done`,
  'a menu': (inner) => `select i in a; do ${inner}; done`,
  'a function': (inner) => `f() { ${inner}; }; f`,
  'a coprocess': (inner) => `coproc { ${inner}; }`,
  'a substitution': (inner) => `echo $(${inner})`,
  'a quoted substitution': (inner) => `echo "$(${inner})"`,
  'a substitution of the shell itself': (inner) => `echo \${ ${inner}; }`,
  'a file that is read': (inner) => `cat <(${inner})`,
  'a file that is written': (inner) => `echo a > >(${inner})`,
  'a default': (inner) => `echo \${x:-$(${inner})}`,
  'a default of a default': (inner) => `: \${x:-\${y:-$(${inner})}}`,
  arithmetic: (inner) => `echo $(( $(${inner}) ))`,
  'an arithmetic command': (inner) => `(( $(${inner}) ))`,
  'a test': (inner) => `[[ ( $(${inner}) ) ]]`,
  'an assignment': (inner) => `x=$(${inner})`,
  'an array': (inner) => `x=($(${inner}))`,
  'a subscript': (inner) => `a[$(${inner})]=1`,
  'a subscript read': (inner) => `echo \${a[$(${inner})]}`,
  'a slice': (inner) => `echo \${a:$(${inner})}`,
  'a here-string': (inner) => `cat <<< $(${inner})`,
  'a redirection': (inner) => `>$(${inner}) :`,
  'a pattern': (inner) => `echo @($(${inner}))`,
  'a pattern in brackets': (inner) => `echo [$(${inner})]`,
  'a brace': (inner) => `echo {a,$(${inner})}`,
  'a word of a case': (inner) => `case $(${inner}) in a) ;; esac`,
  'a pattern of a case': (inner) => `case a in a) ;; $(${inner})) ;; esac`,
  'a list of a loop': (inner) => `for i in $(${inner}); do :; done`,
  'a pipe': (inner) => `{ ${inner}; } | cat`,
  'a job': (inner) => `{ ${inner} & }`,
  'a program': (inner) => `sudo ${inner}`,
  'code in code': (inner) => `eval ${inner}`,
}

/** Texts that hold one another without a command between. */
const WITHIN: Readonly<Record<string, (depth: number) => string>> = {
  'brackets of arithmetic': (depth) => `echo $((${'('.repeat(depth)}$(${HARM})${')'.repeat(depth)}))`,
  choices: (depth) => `echo $((${'1?'.repeat(depth)}$(${HARM})${':2'.repeat(depth)}))`,
  signs: (depth) => `echo $((${'- '.repeat(depth)}$(${HARM})))`,
  sums: (depth) => `echo $((${'1+'.repeat(depth)}$(${HARM})))`,
  powers: (depth) => `echo $((${'1**'.repeat(depth)}$(${HARM})))`,
  'brackets of a test': (depth) => `[[ ${'( '.repeat(depth)}-n $(${HARM}) ${') '.repeat(depth)} ]]`,
  'patterns in patterns': (depth) => `echo ${'@('.repeat(depth)}$(${HARM})${')'.repeat(depth)}`,
  'braces in braces': (depth) => `echo ${'{a,'.repeat(depth)}$(${HARM})${'}'.repeat(depth)}`,
  'defaults in defaults': (depth) => `echo ${'${a:-'.repeat(depth)}$(${HARM})${'}'.repeat(depth)}`,
  'defaults in an array': (depth) => `x=(${'${a:-'.repeat(depth)}$(${HARM})${'}'.repeat(depth)})`,
  'subscripts in subscripts': (depth) => `echo ${'${a['.repeat(depth)}$(${HARM})${']}'.repeat(depth)}`,
  'quotes in quotes': (depth) => `echo ${'"${x:-'.repeat(depth)}$(${HARM})${'}"'.repeat(depth)}`,
  'heads of loops': (depth) => `for ((${'!'.repeat(depth)}$(${HARM});;)); do :; done`,
  'functions that call on': (depth) =>
    `f0() { ${HARM}; }\n${Array.from({ length: depth }, (_, at) => `f${at + 1}() { f${at}; }`).join('\n')}\nf${depth}`,
  'names for names': (depth) =>
    `alias a0='${HARM}'\n${Array.from({ length: depth }, (_, at) => `alias a${at + 1}=a${at}`).join('\n')}\na${depth}`,
  'texts in texts': (depth) =>
    Array.from({ length: depth }).reduce<string>((inner, _, at) => `bash <<'E${at}'\n${inner}\nE${at}`, HARM),
}

const seenOrTold = (command: string): boolean =>
  analyse(command).effects.some(
    ({ kind, traits }) =>
      kind === 'fs.delete' || (kind === 'unresolved' && GAP_TRAITS.some((how) => traits.includes(how))),
  )

const nested = (around: readonly ((inner: string) => string)[]): string =>
  around.reduce((inner, one) => one(inner), HARM)

const DEPTHS = [1, 2, 63, 64, 65, 255, 256, 257, 1_000, 5_000]

describe('nested code is followed, or a gap is emitted', () => {
  test.each(Object.entries(AROUND))('%s', (_, around) => {
    for (const depth of DEPTHS.filter((one) => one < 5_000))
      expect([depth, seenOrTold(nested(Array.from({ length: depth }, () => around)))]).toEqual([depth, true])
  })

  test.each(Object.entries(WITHIN))('%s', (_, within) => {
    for (const depth of DEPTHS) expect([depth, seenOrTold(within(depth))]).toEqual([depth, true])
  })

  test('all of them within one another', () => {
    const constructs = Object.values(AROUND)
    fc.assert(
      fc.property(
        fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 120 }) }, fc.integer({ min: 121, max: 5_000 })),
        fc.array(fc.integer({ min: 0, max: constructs.length - 1 }), { minLength: 1, maxLength: 12 }),
        (depth, picks) => {
          const round = picks.flatMap((pick) => constructs[pick] ?? [])
          const around = Array.from({ length: depth }, (__, at) => round[at % round.length]).filter(
            (one) => one !== undefined,
          )
          expect(seenOrTold(nested(around))).toBe(true)
        },
      ),
      { numRuns: 40 },
    )
  }, 120_000)
})
