import { fieldsOf, isJsonObject } from '../fields.ts'
import type { Json } from '../json.ts'
import type { RpcCall } from '../json-rpc.ts'
import type { SessionRef, Step } from '../step.ts'
import { aosMethod } from './methods.ts'
import type { AosRead, Said, Surroundings, Teller } from './request.ts'

const sessionOf = (teller: Teller, surroundings: Surroundings): SessionRef => {
  const { turn, cwd, user } = teller
  return {
    id: teller.session ?? surroundings.session,
    ...(turn === undefined ? {} : { turn }),
    ...(cwd === undefined ? {} : { cwd, project: cwd }),
    ...(user === undefined ? {} : { user }),
  }
}

const stepOf = ({ kind, payload }: Said, event: string, teller: Teller, surroundings: Surroundings): Step => {
  const { trace, reasoning } = teller
  return {
    kind,
    payload,
    id: teller.stepId ?? surroundings.makeId(),
    host: surroundings.host,
    event,
    at: surroundings.at,
    session: sessionOf(teller, surroundings),
    agent: teller.agent ?? { id: 'main', role: 'main' },
    ...(trace === undefined || Object.keys(trace).length === 0 ? {} : { trace }),
    ...(reasoning === undefined ? {} : { reasoning }),
  } as Step
}

/**
 * Reads a request of AOS 0.1.0. What was understood is a step; what is missing or mistyped is told by its place, and
 * never quoted. The method must be one that `aosMethod` knows.
 */
export const readAosRequest = (call: RpcCall, surroundings: Surroundings): AosRead => {
  const row = aosMethod(call.method)
  if (row === undefined) return { outcome: 'faulty', detail: 'its method is none of AOS 0.1.0' }
  if (row.read === undefined) return { outcome: 'ping' }
  const params = (call.params ?? null) as Json
  if (!isJsonObject(params)) return { outcome: 'faulty', detail: '/params must be an object' }
  const fields = fieldsOf(params, '/params')
  const reasoning = fields.any('reasoning')
  const teller = {
    ...row.context(fields, surroundings),
    ...(typeof reasoning === 'string' && reasoning !== '' ? { reasoning } : {}),
  }
  const said = row.read(fields, { ...teller, session: teller.session ?? surroundings.session }, surroundings)
  const fault = fields.fault()
  if (fault !== undefined) return { outcome: 'faulty', detail: `${fault.pointer} must be ${fault.expected}` }
  return {
    outcome: 'step',
    call,
    params,
    step: stepOf(said, row.name, teller, surroundings),
    places: said.places,
    modifiable: row.modifiable,
    ...(said.key === undefined ? {} : { key: said.key }),
    ...(said.keep === undefined ? {} : { keep: said.keep }),
  }
}
