/**
 * Parts of an answer that the history stores besides its text: calls and thoughts, as OpenClaw 2026.9.6 writes them.
 */
import { describe, expect, test } from 'vitest'
import { collect, createTestContext, MASKED, WORD } from '../../../test/support/openclaw-protection.ts'
import { storedCalls, storedThoughts } from './stored-messages.ts'
import type { RegisterProtection } from './protection.ts'

const call = (command: string, more: object = {}) => ({
  type: 'toolCall',
  id: 'call_1',
  name: 'exec',
  arguments: { command },
  ...more,
})
const thought = (thinking: string) => ({ type: 'thinking', thinking, thinkingSignature: 'x' })
const said = { type: 'text', text: WORD.deny }

const kept = async (protect: RegisterProtection, content: unknown, role = 'assistant'): Promise<unknown> => {
  const shared = await createTestContext()
  const answer = collect(shared, protect).fireNow('before_message_write', { message: { role, content, model: 'm' } })
  expect([shared.asked, shared.guard.kept]).toEqual([[], []])
  return answer
}

describe('calls', () => {
  const withheld = { ...call(''), arguments: { withheld: expect.stringContaining('refused') as string } }

  test.each([
    {
      name: 'a refused one keeps its position, and no argument',
      content: [said, call(WORD.deny)],
      is: [said, withheld],
    },
    { name: 'a masked one keeps the rest', content: [call(WORD.mask)], is: [call(MASKED)] },
    { name: 'only the refused one of two', content: [call('ls'), call(WORD.deny)], is: [call('ls'), withheld] },
  ])('$name', async ({ content, is }) => {
    expect(await kept(storedCalls, content)).toEqual({ message: { role: 'assistant', content: is, model: 'm' } })
  })

  test.each([
    { name: 'an allowed one', content: [said, call('ls')] },
    { name: 'one for a person', content: [call(WORD.ask)] },
    { name: 'the model’s own scan', content: [call(WORD.deny, { name: 'sallyport_scan' })] },
    { name: 'one of another shape', content: [call('', { arguments: WORD.deny }), call(WORD.deny, { name: 7 })] },
    { name: 'no parts', content: WORD.deny },
    { name: 'no content', content: undefined },
  ])('nothing changes: $name', async ({ content }) => {
    expect(await kept(storedCalls, content)).toBeUndefined()
  })

  test('calls of others are ignored', async () => {
    expect(await kept(storedCalls, [call(WORD.deny)], 'user')).toBeUndefined()
  })
})

describe('thoughts', () => {
  test.each([WORD.deny, WORD.mask])('one that contains %s is removed as a whole', async (word) => {
    expect(await kept(storedThoughts, [thought(`I see ${word}.`), call('ls')])).toEqual({
      message: { role: 'assistant', content: [call('ls')], model: 'm' },
    })
  })

  test.each([
    { name: 'any other', content: [thought('Hm.'), said] },
    { name: 'a blank one', content: [thought(' ')] },
    { name: 'one of another shape', content: [{ type: 'thinking', thinking: 7 }] },
  ])('nothing changes: $name', async ({ content }) => {
    expect(await kept(storedThoughts, content)).toBeUndefined()
  })
})
