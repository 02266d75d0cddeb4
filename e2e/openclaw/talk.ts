import { readFile } from 'node:fs/promises'
import type { EntryPath, Shown } from './entry-paths.ts'
import type { GatewayAddress } from './gateway.ts'
import type { GatewayRpc } from './gateway-rpc.ts'
import { caseMark, recordedPlaces, requestFile, writeScript, type Answer, type ModelRequest } from './scripted-model.ts'

/** What came of one message of a person. */
export interface TurnResult {
  readonly shown: Shown
  /** The model's requests for this message, in order. */
  readonly requests: readonly ModelRequest[]
}

/** A person talking to the agent by one entry path, in a session of their own. */
export interface Talk {
  readonly id: string
  readonly sessionKey: string
  /** Sends a message; the model answers by the script, one answer a request. */
  turn(text: string, ...answers: readonly Answer[]): Promise<TurnResult>
  /** The same conversation, with its next messages on another path; the session is the same if its key is. */
  over(path: EntryPath): Talk
}

const readRequest = async (folder: string, place: number): Promise<ModelRequest> =>
  // Written by the scripted model of the same run.
  JSON.parse(await readFile(requestFile(folder, place), 'utf8')) as ModelRequest

/** The last request of a gateway's model so far. */
export const lastPlace = async (gateway: GatewayAddress): Promise<number> =>
  (await recordedPlaces(gateway.model)).at(-1) ?? 0

/**
 * Whether a text has ever reached the model of a gateway, in any session. A text that JSON writes as it stands.
 * @param after the request after which it may have come
 */
export const modelSaw = async (gateway: GatewayAddress, text: string, after = 0): Promise<boolean> => {
  for (const place of (await recordedPlaces(gateway.model)).filter((one) => one > after))
    if ((await readFile(requestFile(gateway.model, place))).includes(text)) return true
  return false
}

/** Starts a talk. `id` names it, in its session's key and in its cases: lower-case letters and digits. */
export const startTalk = (gateway: GatewayAddress, rpc: GatewayRpc, begins: EntryPath, id: string): Talk => {
  const count = { turns: 0 }
  const talkOver = (path: EntryPath): Talk => ({
    id,
    sessionKey: path.sessionKey(id),
    turn: async (text, ...answers) => {
      count.turns += 1
      const caseId = `${id}t${count.turns}`
      await writeScript(gateway.model, caseId, answers)
      const before = await lastPlace(gateway)
      const shown = await path.send(gateway, rpc, id, `${text} (${caseMark(caseId)})`)
      const places = (await recordedPlaces(gateway.model)).filter((place) => place > before)
      const requests = await Promise.all(places.map((place) => readRequest(gateway.model, place)))
      return { shown, requests: requests.filter((request) => request.caseId === caseId) }
    },
    over: talkOver,
  })
  return talkOver(begins)
}
