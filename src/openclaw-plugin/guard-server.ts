import { readFileSync } from 'node:fs'
import { createPeer } from '../client/peer.ts'
import type { PeerAddress } from '../client/peer.ts'
import { isObject } from '../protocol/json.ts'
import type { HookAnswer } from '../hosts/openclaw/host.ts'
import type { VerdictSource } from './asker.ts'
import type { ServerSetting } from './settings.ts'

const PATH = '/v1/hooks/openclaw'

const addressOf = ({ url, socket }: ServerSetting): PeerAddress =>
  socket === undefined ? { kind: 'url', url: new URL(PATH, url).href } : { kind: 'socket', socket, path: PATH }

const tokenOf = (
  { tokenFile, tokenEnv }: ServerSetting,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  if (tokenFile !== undefined) return readFileSync(tokenFile, 'utf8').trim()
  return tokenEnv === undefined ? undefined : env[tokenEnv]
}

const isAnswer = (value: unknown): value is HookAnswer =>
  isObject(value) &&
  (value['reply'] === null || isObject(value['reply'])) &&
  isObject(value['verdict']) &&
  typeof value['verdict']['decision'] === 'string' &&
  typeof value['verdict']['reason'] === 'string' &&
  Array.isArray(value['verdict']['reasonCodes']) &&
  Array.isArray(value['verdict']['findings'])

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** A Sallyport that runs elsewhere, asked over its own address for OpenClaw's hooks. */
export const createServerSource = (
  server: ServerSetting,
  env: Readonly<Record<string, string | undefined>>,
): VerdictSource & { close(): void } => {
  let peer: ReturnType<typeof createPeer> | undefined
  const connected = (): ReturnType<typeof createPeer> => {
    const token = tokenOf(server, env)
    return (peer ??= createPeer({ address: addressOf(server), ...(token === undefined ? {} : { token }) }))
  }
  return Object.freeze({
    async ask(call, signal) {
      const answer = await connected().post(JSON.stringify(call), {}, signal)
      if (answer.outcome === 'failed') throw new Error(`the server gave none: ${answer.cause}`)
      const value = parsed(answer.body)
      // A refusal of the whole request comes with another status and still holds the host's form of a refusal.
      if (!isAnswer(value)) throw new Error(`the server's answer (status ${answer.status}) is none`)
      return value
    },
    close: () => {
      peer?.close()
    },
  } satisfies VerdictSource & { close(): void })
}
