import { describe, expect, test } from 'vitest'
import { analyseEffects } from '../analyse-effects.ts'
import { DEFAULT_EFFECT_BUDGET } from '../engine/analysis.ts'
import { effectNotation, isPlainRun } from '../effect-notation.fixture.ts'
import { GUARD, callOf } from '../fixture.ts'
import { createGivenWorld } from '../world/given-world.ts'
import { createRecordedWorld } from '../world/record-questions.ts'

const APP = '/home/user/app'

const worldWith = (files: Readonly<Record<string, string>>) =>
  createGivenWorld({
    files: Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name.startsWith('/') ? name : `${APP}/${name}`, text]),
    ),
  })

const analysed = (command: string, files: Readonly<Record<string, string>>) =>
  analyseEffects(callOf('Bash', { command }), { world: worldWith(files), guard: GUARD, budget: DEFAULT_EFFECT_BUDGET })

const effects = (command: string, files: Readonly<Record<string, string>>): readonly string[] =>
  analysed(command, files)
    .effects.filter(
      (effect) => !isPlainRun(effect) && !effect.traits.includes('script') && effect.kind !== 'guard.tamper',
    )
    .map(effectNotation)

const manifest = (scripts: Readonly<Record<string, string>>): string => JSON.stringify({ scripts })

const ROOT = 'fs.delete+recursive+force@root'
const DIST = 'fs.delete+recursive+force@workspace'

interface Row {
  readonly name: string
  readonly command: string
  readonly files: Readonly<Record<string, string>>
  readonly effects: readonly string[]
}

const RUN: readonly Row[] = [
  { name: 'by a shell', command: 'bash x.sh', files: { 'x.sh': 'rm -rf /' }, effects: [ROOT] },
  { name: 'by its path', command: './x.sh', files: { 'x.sh': '#!/bin/bash\nD=/\nrm -rf $D' }, effects: [ROOT] },
  { name: 'with its arguments', command: './x.sh /', files: { 'x.sh': 'rm -rf "$1"' }, effects: [ROOT] },
  { name: 'sourced', command: '. ./env.sh && rm -rf $OUT', files: { 'env.sh': 'OUT=dist' }, effects: [DIST] },
  { name: 'from a folder gone into', command: 'cd sub && sh x.sh', files: { 'sub/x.sh': 'rm -rf /' }, effects: [ROOT] },
  { name: 'from a temporary folder', command: 'sh /tmp/x', files: { '/tmp/x': 'rm -rf /' }, effects: [ROOT] },
  { name: 'one that runs another', command: './a', files: { a: './b', b: './a; rm -rf /' }, effects: [ROOT] },
  {
    name: 'by the interpreter of its first line',
    command: './x',
    files: { x: '#!/usr/bin/env python3\nimport shutil\nshutil.rmtree("/")' },
    effects: ['fs.delete+recursive+inline-code@root'],
  },
  { name: 'by a pattern', command: './s?.sh', files: { 's1.sh': 'rm -rf /' }, effects: [ROOT] },
  { name: 'sourced by a pattern', command: '. ./*.sh', files: { 's1.sh': 'rm -rf /' }, effects: [ROOT] },
  {
    name: 'by a program of its first line that is not a shell',
    command: './x',
    files: { x: '#!/usr/bin/make -f\nall:\n\trm -rf /\n' },
    effects: [ROOT],
  },
  {
    name: 'with a variable set for it',
    command: 'CMD="rm -rf /" bash x.sh',
    files: { 'x.sh': '$CMD' },
    effects: [ROOT],
  },
  {
    name: 'in JavaScript',
    command: 'node x.js',
    files: { 'x.js': "require('child_process').execSync('rm -rf /')" },
    effects: [ROOT],
  },
  {
    name: 'in PowerShell',
    command: 'pwsh -File x.ps1',
    files: { 'x.ps1': 'Remove-Item -Recurse C:\\Windows' },
    effects: ['fs.delete+recursive@system'],
  },
  { name: 'of npm', command: 'npm run x', files: { 'package.json': manifest({ x: 'rm -rf /' }) }, effects: [ROOT] },
  {
    name: 'of npm, before the one that is named',
    command: 'npm test',
    files: { 'package.json': manifest({ pretest: 'rm -rf /', test: 'vitest', build: 'rm -rf ~' }) },
    effects: [ROOT],
  },
  {
    name: 'of npm that call each other without end',
    command: 'pnpm run a',
    files: { 'package.json': manifest({ a: 'pnpm run b', b: 'pnpm run a; rm -rf /' }) },
    effects: [ROOT],
  },
  {
    name: 'of npm, with arguments, from a folder below',
    command: 'cd src/web && yarn nuke -- /',
    files: { 'package.json': manifest({ nuke: 'rm -rf' }), 'src/web/a.ts': '' },
    effects: [ROOT],
  },
  {
    name: 'at an install',
    command: 'npm ci',
    files: { 'package.json': manifest({ postinstall: 'rm -rf /' }) },
    effects: ['package.install', ROOT],
  },
  {
    name: 'of make, with what it needs and its variables',
    command: 'make clean',
    files: { Makefile: 'OUT := /\nall:\n\techo\nclean: pre\npre:\n\t@rm -rf $(OUT)\n' },
    effects: [ROOT],
  },
  {
    name: 'of make, with variables of the command line and a folder',
    command: 'make -C sub OUT=/',
    files: { 'sub/Makefile': 'OUT = dist\nall:\n\t-rm -rf ${OUT}\n' },
    effects: [ROOT],
  },
  {
    name: 'of make, when it is read',
    command: 'make',
    files: { Makefile: 'V := $(shell rm -rf /)\nall:\n\techo $(V)\n' },
    effects: [ROOT],
  },
]

const WRITTEN: readonly Row[] = [
  { name: 'a makefile', command: "printf 'all:\n\trm -rf /\n' > Makefile && make", files: {}, effects: [ROOT] },
  { name: 'a makefile from a pipe', command: "printf 'all:\n\trm -rf /\n' | make -f -", files: {}, effects: [ROOT] },
  {
    name: 'a manifest',
    command: `echo '${manifest({ x: 'rm -rf /' })}' > package.json && npm run x`,
    files: { 'package.json': manifest({ x: 'tsc' }) },
    effects: ['fs.write@workspace', ROOT],
  },
]

const QUIET: readonly Row[] = [
  {
    name: 'what hangs on an argument',
    command: './x',
    files: { x: 'rm -rf "$1/build" "$DIST"/*; $TOOL "$@"' },
    effects: [],
  },
  {
    name: 'a folder of its own',
    command: './bin/clean',
    files: { 'bin/clean': 'cd "$(dirname "${BASH_SOURCE[0]}")/.."\nrm -rf "$PWD/dist"' },
    effects: [DIST],
  },
  {
    name: 'a key from the environment for the service it is for',
    command: 'node x.js',
    files: {
      'x.js': "fetch('https://api.example', { headers: { key: process.env.API_KEY } }); run({ ...process.env })",
    },
    effects: ['net.fetch'],
  },
  {
    name: 'another script',
    command: 'npm run a',
    files: { 'package.json': manifest({ a: 'tsc', b: 'rm -rf /' }) },
    effects: [],
  },
  {
    name: 'scripts that are left out',
    command: 'npm ci --ignore-scripts',
    files: { 'package.json': manifest({ install: 'rm -rf /' }) },
    effects: ['package.install'],
  },
  { name: 'a dry run of make', command: 'make -n', files: { Makefile: 'all:\n\trm -rf /\n' }, effects: [] },
  { name: 'no text', command: './x', files: { x: 'rm -rf /\0' }, effects: [] },
  { name: 'programs of the system', command: '/opt/x/run.sh', files: { '/opt/x/run.sh': 'rm -rf /' }, effects: [] },
]

describe('a script on disk is followed', () => {
  test.each(RUN)('$name', ({ command, files, effects: expected }) => {
    expect(effects(command, files)).toEqual(expected)
  })
})

describe('what the command itself wrote counts, not what was there', () => {
  test.each(WRITTEN)('$name', ({ command, files, effects: expected }) => {
    expect(effects(command, files)).toEqual(expected)
  })
})

describe('and only known effects are emitted', () => {
  test.each(QUIET)('$name', ({ command, files, effects: expected }) => {
    expect(effects(command, files)).toEqual(expected)
  })

  test('exceeding the work limit is no reason to refuse the call', () => {
    const { exhausted, effects: found } = analysed('./x && rm -rf /etc', { x: 'echo a b c; ls src\n'.repeat(3_000) })
    expect(exhausted).toBe(false)
    expect(found.map(effectNotation)).toContain('fs.delete+recursive+force@system')
  })
})

test.each([
  [
    'variables made of variables',
    `A = ${'$(B)'.repeat(50)}\nB = ${'$(C)'.repeat(50)}\nC = ${'$(A)'.repeat(50)}\nall:\n\techo $(A)\n`,
  ],
  ['targets that need targets', Array.from({ length: 5_000 }, (_, at) => `t${at}: t${at + 1}`).join('\n')],
  ['brackets without end', `all:\n\techo ${'$('.repeat(10_000)}`],
])('a makefile of %s is answered', (_, Makefile) => {
  expect(analysed('make', { Makefile }).effects.length).toBeGreaterThan(0)
})

test('a replay sees the script that was seen', () => {
  const call = callOf('Bash', { command: './x.sh' })
  const options = { guard: GUARD, budget: DEFAULT_EFFECT_BUDGET }
  const first = analyseEffects(call, { ...options, world: worldWith({ 'x.sh': 'rm -rf /' }) })
  const again = analyseEffects(call, { ...options, world: createRecordedWorld(first.observations) })
  expect(again).toEqual(first)
})
