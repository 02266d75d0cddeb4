import { Buffer } from 'node:buffer'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import canonicalize from 'canonicalize'

/**
 * An observed agent written from the text of ACS 0.1.0 alone, with somebody else's RFC 8785: it shares no line with
 * what it is to check.
 */

type JsonObject = Record<string, unknown>

const canonical = (value: unknown): string => canonicalize(value) ?? ''

const hmac = (key: Buffer, data: Buffer | string): Buffer => createHmac('sha256', key).update(data).digest()

/** HKDF-SHA256 (RFC 5869) without salt, the session id as info, one block (section 10). */
export const keyOf = (secret: string, session: string): Buffer => {
  const extracted = hmac(Buffer.alloc(32), Buffer.from(secret))
  return hmac(extracted, Buffer.concat([Buffer.from(session), Buffer.from([1])]))
}

/** The signature of an envelope whose part `holder` carries none yet. */
export const signatureFor = (envelope: JsonObject, key: Buffer): string =>
  hmac(key, canonical(envelope)).toString('base64')

/** Whether a response is signed by who has the key (section 10). */
export const isSigned = (response: JsonObject, key: Buffer): boolean => {
  const holder = 'result' in response ? 'result' : 'error'
  const { signature, ...rest } = response[holder] as JsonObject
  const { algorithm, value } = (signature ?? {}) as JsonObject
  return algorithm === 'HMAC-SHA256' && value === signatureFor({ ...response, [holder]: rest }, key)
}

/** Deliberate faults of a request. */
export interface Twist {
  readonly timestamp?: string
  readonly requestId?: string
  readonly nonce?: string
  readonly chainHash?: string
  /** Further params. */
  readonly params?: JsonObject
  /** Changes the envelope after it was signed. */
  readonly tamper?: (envelope: JsonObject) => JsonObject
  readonly unsigned?: boolean
}

/** A request of a session, signed. */
export const requestOf = (
  secret: string,
  session: string,
  method: string,
  payload: JsonObject,
  twist: Twist = {},
): JsonObject => {
  const params: JsonObject = {
    acs_version: '0.1.0',
    request_id: twist.requestId ?? randomUUID(),
    timestamp: twist.timestamp ?? new Date().toISOString(),
    ...(twist.nonce === undefined ? {} : { nonce: twist.nonce }),
    metadata: {
      agent_id: 'conformance',
      session_id: session,
      ...(twist.chainHash === undefined ? {} : { session_state: { chain_hash: twist.chainHash } }),
    },
    payload,
    ...twist.params,
  }
  const envelope = { jsonrpc: '2.0', id: randomUUID(), method, params }
  if (twist.unsigned === true) return envelope
  const signature = {
    algorithm: 'HMAC-SHA256',
    value: signatureFor(envelope, keyOf(secret, session)),
    key_id: 'default',
  }
  const signed = { ...envelope, params: { ...params, signature } }
  return twist.tamper?.(signed) ?? signed
}

/** Head of the chain after a request, from the head before it (sections 8.1 and 8.2). */
export const headAfter = (request: JsonObject, before: string | undefined): string => {
  const params = request['params'] as JsonObject
  const entry = {
    entry_id: params['request_id'],
    step_id: params['request_id'],
    step_type: request['method'],
    request_hash: createHash('sha256').update(canonical(params)).digest('hex'),
    timestamp: params['timestamp'],
  }
  const bytes = [Buffer.from(canonical(entry)), ...(before === undefined ? [] : [Buffer.from(before, 'hex')])]
  return createHash('sha256').update(Buffer.concat(bytes)).digest('hex')
}

/** A ClientHello with all that it must have. */
export const HELLO: JsonObject = {
  acs_versions_supported: ['0.1.0'],
  methods_implemented: ['steps/sessionStart', 'steps/toolCallRequest', 'system/ping', 'steps/unheardOf'],
  transports_supported: ['http'],
  provenance_producer: 'none',
  profiles_supported: ['acs-core', 'acs-crypto'],
}
