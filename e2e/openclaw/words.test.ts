/** What somebody who chats reads of a refusal: what happened, why, and what they can do, in no words of the operator's. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entryPaths } from './entry-paths.ts'
import { startFailingScanner } from './failing-scanner.ts'
import { DENIED_PROGRAM, SALLYPORT_YAML, TOPIC } from './guard-config.ts'
import { sallyportEntry } from './plugin-under-test.ts'
import { openStage } from './stage.ts'

const stage = await openStage()
const PATHS = [entryPaths.channel, entryPaths.http]

/** What means nothing to somebody who only chats. */
const OPERATORS =
  /sallyport\.yaml|openclaw\.json|payload|\bhook\b|\bevent\b|seam|guardian|`sallyport|ECONNREFUSED|before_|docs\//i

const referenceIn = (text: string): string =>
  /and give them the reference ([0-9A-Z]{4}-[0-9A-Z]{4})\b/.exec(text)?.[1] ?? `no reference in: ${text}`

/** What the operator finds by the reference that somebody was given. */
const shownBy = async (text: string): Promise<string> => {
  const { code, out, err } = await stage.cli('trace', 'show', referenceIn(text))
  return code === 0 ? out : `${code}: ${err}`
}

describe('a rule refuses', () => {
  beforeAll(() => stage.guardWith({}))

  for (const path of PATHS) {
    test(`${path.name}: a message; its reference identifies the decision for the operator`, async () => {
      const { shown } = await stage.talk(path).turn(`Tell me of ${TOPIC}.`, { say: 'SEEN' })
      expect(shown.last).toMatch(
        /^Sallyport: The policy here refuses this topic\. Continue without it\. If this is wrong, tell /,
      )
      expect(shown.last).not.toMatch(OPERATORS)
      expect(await shownBy(shown.last)).toMatch(/\bdeny\b[\s\S]*\[deny-topics\]/)
    })

    test(`${path.name}: a tool call; the model receives the reference and can pass it on`, async () => {
      const calls = [{ tool: 'exec', input: { command: `${DENIED_PROGRAM} x` } }]
      const { requests } = await stage.talk(path).turn('Make it.', { calls }, { say: 'No.' })
      const told = JSON.stringify(requests.at(-1)?.body.messages.filter(({ role }) => role === 'tool'))
      expect(told).toContain('The policy here refuses this command.')
      expect(told).not.toMatch(OPERATORS)
      expect(await shownBy(told)).toMatch(/\bdeny\b[\s\S]*\[deny-list-commands\]/)
    })

    test(`${path.name}: an answer`, async () => {
      const { shown } = await stage.talk(path).turn('Tell me.', { say: `It is ${TOPIC}.` })
      expect(shown.last).toMatch(/^\[Sallyport: The policy here refuses this topic\. Continue without it\..*\]$/)
      expect(shown.last).not.toMatch(OPERATORS)
    })
  }
})

describe('the guard cannot decide', () => {
  test('a message exceeds the budget', async () => {
    await stage.guardWith({})
    const { requests, shown } = await stage.talk(entryPaths.http).turn('so and so '.repeat(900_000), { say: 'SEEN' })
    expect(requests).toEqual([])
    expect(shown.last).toMatch(
      /^Sallyport: This is too long or too complicated to be checked completely\. Send it in smaller parts\. /,
    )
    expect(shown.last).not.toMatch(OPERATORS)
    expect(await shownBy(shown.last)).toMatch(/work budget/)
  })

  describe('the scanner does not answer', async () => {
    const scanner = await startFailingScanner()
    afterAll(() => scanner.close())
    beforeAll(() =>
      stage.usePlugins({ sallyport: sallyportEntry({ server: { url: scanner.url }, deadline_ms: 1000 }) }),
    )

    for (const path of PATHS)
      test(`${path.name}: the person is informed what to do, and the log has the reason`, async () => {
        scanner.failAt(['message_received', 'before_dispatch', 'before_agent_reply', 'before_agent_run'], 'down')
        const { shown, requests } = await stage.talk(path).turn('Hello.', { say: 'SEEN' })
        expect(requests).toEqual([])
        expect(shown.last).toBe(
          'Sallyport: This could not be checked, so it was not let through. Try again in a few minutes. If it keeps happening, tell ' +
            'the operator of this assistant, and give them the reference SP_OPENCLAW_UNDECIDED.',
        )
        await expect
          .poll(() => readFile(stage.gateway.logFile, 'utf8'), { timeout: 10_000 })
          .toMatch(/No verdict was reached on this step \(\w+\): the server gave no verdict/)
      })
  })
})

test('a file that the guard depends on was changed: the person is informed, and the operator finds the change', async () => {
  await stage.guardWith({})
  const config = join(stage.gateway.root, 'home/.config/sallyport/sallyport.yaml')
  const talk = stage.talk(entryPaths.channel)
  await talk.turn('Hello.', { say: 'Hello.' })
  await writeFile(config, `${SALLYPORT_YAML}mode: observe\n`)
  try {
    const { shown, requests } = await talk.turn('Are you there?', { say: 'SEEN' })
    expect(requests).toEqual([])
    expect(shown.last).toMatch(/^Sallyport: Something that keeps this assistant safe was changed without confirmation/)
    expect(shown.last).not.toMatch(OPERATORS)
    expect(await shownBy(shown.last)).toContain(config)
  } finally {
    await writeFile(config, SALLYPORT_YAML)
  }
  expect((await talk.turn('And now?', { say: 'Yes.' })).shown.last).toBe('Yes.')
})
