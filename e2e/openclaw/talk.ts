import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EntryPath, Shown } from './entry-paths.ts'
import type { GatewayAddress } from './gateway.ts'
import type { GatewayRpc } from './gateway-rpc.ts'
import { caseMark, requestFile, writeScript, type Answer, type ModelRequest } from './scripted-model.ts'

/** What came of one message of a person. */
export interface TurnResult {
  readonly shown: Shown
  /** What the model was asked because of this message, in order. */
  readonly requests: readonly ModelRequest[]
}

/** A person talking to the agent by one entry path, in a session of their own. */
export interface Talk {
  readonly id: string
  readonly sessionKey: string
  /** Sends a message; the model answers by the script, one answer a request. */
  turn(text: string, ...answers: readonly Answer[]): Promise<TurnResult>
}

const readRequest = async (folder: string, place: number): Promise<ModelRequest> =>
  // Written by the scripted model of the same run.
  JSON.parse(await readFile(requestFile(folder, place), 'utf8')) as ModelRequest

/** Every request the model of a gateway has got after the first `from`, in order. */
export const requestsOf = async (gateway: GatewayAddress, from = 0): Promise<readonly ModelRequest[]> => {
  const names = await readdir(join(gateway.model, 'requests'))
  const places = names.map((name) => Number.parseInt(name, 10)).filter((place) => place > from)
  return Promise.all(places.toSorted((a, b) => a - b).map((place) => readRequest(gateway.model, place)))
}

/** Whether a text has ever reached the model of a gateway, in any session. */
export const modelSaw = async (gateway: GatewayAddress, text: string): Promise<boolean> =>
  (await requestsOf(gateway)).some((request) => JSON.stringify(request.body).includes(text))

/** Starts a talk. `id` names it, in its session's key and in its cases: lower-case letters and digits. */
export const startTalk = (gateway: GatewayAddress, rpc: GatewayRpc, path: EntryPath, id: string): Talk => {
  const count = { turns: 0 }
  return {
    id,
    sessionKey: path.sessionKey(id),
    turn: async (text, ...answers) => {
      count.turns += 1
      const caseId = `${id}t${count.turns}`
      await writeScript(gateway.model, caseId, answers)
      const shown = await path.send(gateway, rpc, id, `${text} (${caseMark(caseId)})`)
      const requests = (await requestsOf(gateway)).filter((request) => request.caseId === caseId)
      return { shown, requests }
    },
  }
}
