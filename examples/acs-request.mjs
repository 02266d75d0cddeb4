// Prints one signed request of ACS 0.1.0: node acs-request.mjs METHOD [PAYLOAD]
// Reads ACS_SECRET (the deployment's secret) and ACS_SESSION (a UUID) from the environment.
import { createHmac, hkdfSync, randomUUID } from 'node:crypto'
import process from 'node:process'

const [method, payload = '{}'] = process.argv.slice(2)
const { ACS_SECRET = '', ACS_SESSION = randomUUID() } = process.env

// RFC 8785: members in the order of their UTF-16 units, no white space.
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
  return `{${members.join(',')}}`
}

const id = randomUUID()
const request = {
  jsonrpc: '2.0',
  id,
  method,
  params: {
    acs_version: '0.1.0',
    request_id: id,
    timestamp: new Date().toISOString(),
    metadata: { agent_id: 'example', session_id: ACS_SESSION },
    payload: JSON.parse(payload),
  },
}
const key = Buffer.from(hkdfSync('sha256', ACS_SECRET, '', ACS_SESSION, 32))
const value = createHmac('sha256', key).update(canonical(request)).digest('base64')
request.params.signature = { algorithm: 'HMAC-SHA256', value, key_id: 'default' }
console.log(JSON.stringify(request))
