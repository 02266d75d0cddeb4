import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOOKS_LIVE, tailOf } from './fixtures.ts'
import { bash, say } from './mock-anthropic.ts'
import { makeStage, type Stage } from './stage.ts'
import { DELETE_LINE, openTerminal } from './terminal.ts'

/** The client as most people use it: in a terminal, in the permission mode that it begins with. */

const SECRET = LOOKS_LIVE.githubToken

const paperOf = (stage: Pick<Stage, 'world'>): Promise<string> =>
  stage.world.write(join(stage.world.home, 'papers', 'thesis.md'), 'ten years of work\n')

test('a destructive command does not run, and the agent continues', async () => {
  const stage = await makeStage()
  const paper = await paperOf(stage)
  const terminal = await openTerminal(stage, [bash(`rm -rf ${join(stage.world.home, 'papers')}`), say('DONE')])
  await terminal.shows(/Sallyport: This deletes a folder outside/)
  await terminal.shows(/DONE/)
  expect(existsSync(paper)).toBe(true)
  expect(JSON.stringify(terminal.requests.at(-1)?.messages)).toContain('Sallyport: This deletes a folder outside')
})

test('a prompt with a live key does not reach the model, and the person sees the reason and can continue', async () => {
  const stage = await makeStage()
  const terminal = await openTerminal(stage, [say('DONE')], `Use ${SECRET}.`)
  await terminal.shows(/Sallyport: A secret was removed here/)
  // The client gives the prompt back to be mended.
  await terminal.press(DELETE_LINE)
  await terminal.says('Do the work of this test. Without it.')
  await terminal.shows(/DONE/)
  expect(JSON.stringify(terminal.requests)).not.toContain(tailOf(SECRET))
})

test('a secret in the output of a command reaches neither the model nor the screen', async () => {
  const stage = await makeStage()
  await stage.world.write(join(stage.world.project, 'notes.txt'), `the token is ${SECRET} here\n`)
  const terminal = await openTerminal(stage, [bash('cat notes.txt'), say('DONE')])
  await terminal.shows(/DONE/)
  expect(JSON.stringify(terminal.requests.at(-1)?.messages)).toContain('the token is')
  expect(JSON.stringify(terminal.requests)).not.toContain(tailOf(SECRET))
  expect(terminal.everShown()).not.toContain(tailOf(SECRET))
})

test('a secret in an answer is not shown', async () => {
  const stage = await makeStage()
  const terminal = await openTerminal(stage, [say(`The token is ${SECRET} as asked.`), say('DONE')])
  await terminal.shows(/DONE/)
  expect(terminal.everShown()).not.toContain(tailOf(SECRET))
})

test('the guard is killed in mid-session: the next call does not run, and the person is informed', async () => {
  const stage = await makeStage()
  const [first, second] = [join(stage.world.project, 'first'), join(stage.world.project, 'second')]
  const terminal = await openTerminal(stage, [
    bash(`touch ${first}`),
    bash(`touch ${second}`, () => stage.guard.kill()),
    say('DONE'),
  ])
  await terminal.shows(/onFailure is "block"/)
  await terminal.shows(/ECONNREFUSED/)
  expect([existsSync(first), existsSync(second)]).toEqual([true, false])
})
