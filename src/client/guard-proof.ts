import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { Buffer } from 'node:buffer'
import { createHookClient } from './hook-client.ts'
import type { ClientAnswer, GuardAddress } from './hook-client.ts'

/** Whether the guard that holds this token answers at an address. */
export type Proof =
  | { readonly outcome: 'proved' }
  | { readonly outcome: 'absent'; readonly cause: string }
  /** Somebody answers there, but it is not the guard of this token. */
  | { readonly outcome: 'stranger'; readonly cause: string }

const proofIn = (body: string): string | undefined => {
  try {
    const answer: unknown = JSON.parse(body)
    const proof: unknown = typeof answer === 'object' && answer !== null && 'proof' in answer ? answer.proof : undefined
    return typeof proof === 'string' ? proof : undefined
  } catch {
    return undefined
  }
}

/** Nobody is there, or nobody in time. Whatever else goes wrong, somebody is there who is not the guard. */
export const isAbsent = (answer: Extract<ClientAnswer, { outcome: 'failed' }>): boolean =>
  answer.why === 'timeout' || answer.cause === 'ECONNREFUSED'

/**
 * Challenges whoever listens at an address: only the guard that holds the token knows HMAC-SHA256(token, nonce).
 * The token itself is not sent, so that a stranger on the port learns nothing.
 */
export const proveGuard = async (address: GuardAddress, token: string, signal: AbortSignal): Promise<Proof> => {
  const nonce = randomBytes(24).toString('hex')
  const answer = await createHookClient(address).get(`/healthz?challenge=${nonce}`, signal)
  if (answer.outcome === 'failed')
    return isAbsent(answer)
      ? { outcome: 'absent', cause: answer.cause }
      : { outcome: 'stranger', cause: `it does not show the certificate of this guard (${answer.cause})` }
  const expected = Buffer.from(createHmac('sha256', token).update(nonce).digest('hex'))
  const given = Buffer.from(proofIn(answer.body) ?? '')
  return expected.length === given.length && timingSafeEqual(expected, given)
    ? { outcome: 'proved' }
    : { outcome: 'stranger', cause: `it answers ${answer.status} without the proof of this guard's token` }
}
