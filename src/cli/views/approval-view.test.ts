import { describe, expect, test } from 'vitest'

import { waitingApproval } from '../../../test/contracts/approval-value.ts'
import type { Approval } from '../../record/approvals/approval.ts'
import { newestOfEach, restLines, approvalDetail, approvalLines } from './approval-view.ts'
import type { ApprovalHistory } from './approval-history.ts'
import { widthOf } from '../io/columns.ts'

const NOW = 1_700_000_000_000
const STORY: ApprovalHistory = { does: [], found: [], before: [] }
const look = (columns = 80) => ({ now: NOW, paint: (_: string, words: string) => words, columns })

const bash = (command: string, over: Partial<Approval> = {}): Approval =>
  waitingApproval('7k2m-9pqr', { call: { tool: 'Bash', input: { command } }, expiresAt: NOW + 600_000, ...over })
const listed = (one: Approval, columns?: number): string => approvalLines([one], look(columns))[1] ?? ''
const detail = (one: Approval, columns?: number): readonly string[] => approvalDetail(one, STORY, look(columns))

describe('text of an agent', () => {
  test.each([
    { name: 'an escape of the terminal', text: 'a\u001b[2Jb', shown: String.raw`a\u001b[2Jb` },
    { name: 'a C1 control', text: 'a\u009b2Jb', shown: String.raw`a\u009b2Jb` },
    { name: 'a change of direction', text: 'a\u202eb', shown: String.raw`a\u202eb` },
    { name: 'a zero-width character', text: 'a\u200bb\u2060c', shown: String.raw`a\u200bb\u2060c` },
    { name: 'a soft hyphen', text: 'r\u00adm', shown: String.raw`r\u00adm` },
    { name: 'a letter that shows as blank', text: 'a\u3164b', shown: String.raw`a\u3164b` },
    { name: 'tags', text: 'a\u{e0041}b', shown: String.raw`a\udb40\udc41b` },
    { name: 'a selector', text: 'a\ufe0fb', shown: String.raw`a\ufe0fb` },
    { name: 'an empty braille cell', text: 'a\u2800b', shown: String.raw`a\u2800b` },
    { name: 'blanks other than the space', text: 'a\u00a0b\u2003c', shown: String.raw`a\u00a0b\u2003c` },
    { name: 'half a pair', text: 'a\ud83db', shown: String.raw`a\ud83db` },
    { name: 'a coloured picture, as it is', text: 'a ⚠\ufe0f b', shown: 'a ⚠\ufe0f b' },
    { name: 'letters of the world, as they are', text: 'née Żółć 東京', shown: 'née Żółć 東京' },
  ])('is shown with its code points: $name', ({ text, shown }) => {
    expect(listed(bash(text))).toContain(shown)
    expect(detail(bash(text))).toContain(`  │ ${shown}`)
  })

  test('cannot pass for our own text', () => {
    const forged = 'x\n  state    granted by ada\r\n7k2m-9pqr  granted'
    expect(listed(bash(forged))).not.toContain('\n')
    for (const line of detail(bash(forged)).filter((one) => one.includes('granted'))) expect(line).toMatch(/^ {2}│ /)
  })

  test('does not wrap to a place that seems to be ours, for any width of letters', () => {
    for (const text of ['x'.repeat(900), '東'.repeat(900), `${'x'.repeat(76)}7k2m-9pqr  granted`]) {
      for (const line of [listed(bash(text)), ...detail(bash(text))]) expect(widthOf(line)).toBeLessThanOrEqual(80)
      for (const line of detail(bash(text)).filter((one) => one.includes('granted'))) expect(line).toMatch(/^ {2}┆ /)
    }
  })

  test('cannot fill the screen with names and lists', () => {
    const long = 'n'.repeat(50_000)
    const one = bash('x', {
      tool: long,
      session: long,
      call: { input: Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`${n}${long}`, 1])) },
      agent: long,
      cwd: long,
      project: `${long}2`,
      masked: [long],
    })
    const story: ApprovalHistory = { ...STORY, does: Array.from({ length: 900 }, (_, n) => `fs.delete ${n}${long}`) }
    const lines = approvalDetail(one, story, look())
    expect(lines.length).toBeLessThan(200)
    expect(lines.join('\n')).toContain('[860 arguments omitted; --json shows them]')
    expect(lines.join('\n')).toContain('… and 888 more')
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(200)
  })

  test('cannot be hidden by blanks or lines', () => {
    const padded = `npm publish${' '.repeat(300)}; rm -rf ~`
    expect(listed(bash(padded))).toContain('npm publish [300 blanks] ; rm -rf ~')
    expect(detail(bash(padded))).toContain('  │ npm publish [300 blanks] ; rm -rf ~')
    const long = detail(bash(`npm publish${'\n'.repeat(5_000)}rm -rf ~`))
    expect(long.length).toBeLessThan(100)
    expect(long).toContain('  │ rm -rf ~')
    expect(long.join('\n')).toMatch(/\[\d+ lines omitted; --json shows them\]/)
  })
})

test.each([
  { name: 'a shell’s', tool: 'Bash', input: { command: 'ls', description: 'list' }, shown: 'Bash: ls' },
  { name: 'all there is', tool: 'x', input: { path: '/a' }, shown: 'x: /a' },
  { name: 'one of several', tool: 'x', input: { command: 'ls', mode: 'wipe', all: true }, shown: 'x: (+2) ls' },
  { name: 'none of them', tool: 'x', input: { to: 'bob' }, shown: 'x: {"to":"bob"}' },
])('a line of a list counts the arguments that it does not show: $name', ({ tool, input, shown }) => {
  expect(listed(bash('', { tool, call: { tool, input } })).endsWith(`  ${shown}`)).toBe(true)
})

test('a line of a list is marked when it is cut; a pipe gets it in full', () => {
  const command = `npm publish ${'x'.repeat(200)} && rm -rf ~`
  expect(listed(bash(command))).toMatch(/x…$/)
  expect(listed(bash(command), Infinity)).toMatch(/&& rm -rf ~$/)
})

describe('everything a person needs', () => {
  const text = (one: Approval): string => detail(one, 300).join('\n')

  test('every argument, where it runs, and what is not shown of it', () => {
    const one = bash('', {
      call: { tool: 'x', input: { description: 'd', command: 'rm', deep: { a: [1] } } },
      cwd: '/home/dev/app',
      masked: ['/input/description'],
      cut: ['/input/command'],
    })
    expect(text(one)).toContain('  ┌ description\n  │ d\n  ┌ command\n  │ rm\n  ┌ deep\n  │ {"a":[1]}\n')
    expect(text(one)).toMatch(/in +\/home\/dev\/app/)
    expect(text(one)).toContain('Masked at /description')
    expect(text(one)).toContain('TRUNCATED: /command is shown only in part, but runs completely.')
  })

  test('the consequence of each answer, and for how long', () => {
    const one = text(bash('npm publish', { project: '/home/dev/app' }))
    expect(one).toMatch(/agree +sallyport approvals approve 7k2m-9pqr\n +exactly this call, once/)
    expect(one).toMatch(/approve 7k2m-9pqr --for 30m\n +every such call in \/home\/dev\/app, of any session/)
    expect(one).toMatch(/refuse +sallyport approvals deny 7k2m-9pqr/)
    expect(one).toMatch(/change +sallyport approvals edit 7k2m-9pqr/)
    expect(one).toContain('pending, can be answered until 2023-11-14 22:23:20Z, in 10 min')
  })

  test('of a grant: who, for how long, how to revoke it', () => {
    const answer = { at: NOW, by: 'ada', reason: 'release', via: 'sallyport' } as const
    const once = text(bash('x', { state: 'granted', answer }))
    expect(once).toMatch(/holds +for this call only, if repeated before 2023-11-14 22:23:20Z/)
    expect(once).toMatch(/end it +sallyport approvals revoke 7k2m-9pqr/)
    const standing = text(bash('x', { state: 'granted', answer, standing: true, project: '/p', uses: 2 }))
    expect(standing).toMatch(/holds +for every such call in \/p, of any session until 2023/)
    expect(standing).toMatch(/used +2 times/)
    expect(listed(bash('x', { state: 'granted', answer, kind: 'override' }))).toContain('(override by ada) Bash: x')
  })

  test('no answers where it is settled, or expired though not marked so yet', () => {
    for (const one of [bash('x', { state: 'used' }), bash('x', { expiresAt: NOW })])
      expect(text(one)).not.toMatch(/sallyport approvals/)
    expect(listed(bash('x', { expiresAt: NOW }))).toContain('expired')
  })
})

describe('a session that asks without end', () => {
  const flood = Array.from({ length: 500 }, (_, n) =>
    waitingApproval(`f${n}`, { session: n % 2 ? 'flood\u202e' : 'two' }),
  )
  const all = [...flood, waitingApproval('mine', { session: 'quiet' })]

  test('hides no other', () => {
    const shown = newestOfEach(all, 50)
    expect(shown.map(({ id }) => id)).toContain('mine')
    expect(shown).toHaveLength(11)
    expect(newestOfEach(all, 1_000)).toBe(all)
  })

  test('is named with the number of the rest', () => {
    const shown = newestOfEach(all, 50)
    expect(restLines(shown, all, all.length)).toEqual([
      '… and 490 more; use --limit N to show more, --session NAME to show one session.',
      'These are pending:',
      '     245  two',
      String.raw`     245  flood\u202e`,
    ])
    expect(restLines(shown, all, 20_000)[1]).toBe('Of the newest 501, these are pending:')
    expect(restLines(all, all, all.length)).toEqual([])
  })
})
