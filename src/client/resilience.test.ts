import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ClientAnswer } from './exchange.ts'
import { createResilience } from './resilience.ts'

const OK: ClientAnswer = { outcome: 'answered', status: 200, body: '{}' }
const GONE: ClientAnswer = { outcome: 'failed', why: 'unreachable', cause: 'ECONNREFUSED' }
const LATE: ClientAnswer = { outcome: 'failed', why: 'timeout', cause: 'no answer in time' }
const LEFT_ALONE = { outcome: 'failed', why: 'unreachable', cause: expect.stringContaining('not called') }
const NEVER = new AbortController().signal
const BREAK_MS = 10_000

const patient = (more = {}) => createResilience({ retries: 0, retryMs: 0, breakAfter: 3, breakMs: BREAK_MS, ...more })

/** A peer that answers on command. */
const createPeerInHand = () => {
  const waiting: ((answer: ClientAnswer) => void)[] = []
  return {
    attempt: async () => new Promise<ClientAnswer>((resolve) => waiting.push(resolve)),
    asked: () => waiting.length,
    answer: (answer: ClientAnswer) => {
      for (const resolve of waiting.splice(0)) resolve(answer)
    },
  }
}

describe('a peer that is tried', () => {
  test.each([
    { name: 'is not there', answers: [GONE, OK], asked: 2, last: OK },
    { name: 'is behind a gateway that finds it not', answers: [{ ...OK, status: 503 }, OK], asked: 2, last: OK },
    { name: 'is never there', answers: [GONE, GONE, GONE, GONE], asked: 3, last: GONE },
    { name: 'is late', answers: [LATE, OK], asked: 1, last: LATE },
    { name: 'refuses', answers: [{ ...OK, status: 400 }, OK], asked: 1, last: { ...OK, status: 400 } },
  ])('and $name is asked $asked times', async ({ answers, asked, last }) => {
    let times = 0
    const run = patient({ retries: 2, breakAfter: 100 })
    expect(await run(async () => answers[times++] ?? OK, NEVER)).toEqual(last)
    expect(times).toBe(asked)
  })

  test('and throws has given no answer, and its message is not shown', async () => {
    const run = patient()
    const answer = await run(async () => Promise.reject(new TypeError('with a password')), NEVER)
    expect(answer).toEqual({ outcome: 'failed', why: 'invalid', cause: 'TypeError' })
  })
})

describe('a peer that has failed too often in a row', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const broken = async () => {
    const run = patient()
    for (let time = 0; time < 3; time++) await run(async () => LATE, NEVER)
    return run
  }

  test('is not asked until it has expired, and an answer in between begins the count anew', async () => {
    const run = patient()
    for (const answer of [GONE, GONE, OK, GONE, GONE]) await run(async () => answer, NEVER)
    expect(await run(async () => GONE, NEVER)).toEqual(GONE)
    let asked = 0
    const attempt = async () => {
      asked++
      return OK
    }
    vi.advanceTimersByTime(BREAK_MS - 1)
    expect([await run(attempt, NEVER), asked]).toEqual([LEFT_ALONE, 0])
    vi.advanceTimersByTime(1)
    expect([await run(attempt, NEVER), asked]).toEqual([OK, 1])
  })

  test('is then tried by one; the others wait for what comes of that', async () => {
    const run = await broken()
    vi.advanceTimersByTime(BREAK_MS)
    const peer = createPeerInHand()
    const all = Promise.all(Array.from({ length: 8 }, async () => run(peer.attempt, NEVER)))
    await vi.waitFor(() => expect(peer.asked()).toBe(1), 30_000)
    peer.answer(OK)
    await vi.waitFor(() => expect(peer.asked()).toBe(7), 30_000)
    peer.answer(OK)
    expect(await all).toEqual(Array.from({ length: 8 }, () => OK))
  })

  test('and is tried by another caller for too long for one has failed by timeout', async () => {
    const run = await broken()
    vi.advanceTimersByTime(BREAK_MS)
    const peer = createPeerInHand()
    const abort = new AbortController()
    const [first, second] = [run(peer.attempt, NEVER), run(peer.attempt, abort.signal)]
    await vi.waitFor(() => expect(peer.asked()).toBe(1), 30_000)
    abort.abort()
    peer.answer(OK)
    expect([await first, await second]).toEqual([OK, LATE])
  })

  test('and fails the trial is not called again, by any caller', async () => {
    const run = await broken()
    vi.advanceTimersByTime(BREAK_MS)
    const peer = createPeerInHand()
    const all = Promise.all(Array.from({ length: 8 }, async () => run(peer.attempt, NEVER)))
    await vi.waitFor(() => expect(peer.asked()).toBe(1), 30_000)
    peer.answer(GONE)
    expect(await all).toEqual([GONE, ...Array.from({ length: 7 }, () => LEFT_ALONE)])
    expect(peer.asked()).toBe(0)
  })
})
