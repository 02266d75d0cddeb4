import type { Target } from '../../../protocol/evidence.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { stringsIn } from './tool.ts'

/** Arguments that name somebody or something the call is about, by their names. */
const NAMED: readonly (readonly [what: string, name: RegExp])[] = [
  [
    'recipient',
    /^(?:to|cc|bcc|recipients?|recipient_?(?:id|email)s?|emails?|email_?address(?:es)?|attendees|invitees?|phone(?:_?number)?|user_?email|assignees?|username|user_?id)$/i,
  ],
  [
    'channel',
    /^(?:channel|channel_?(?:id|name)|chat_?id|room(?:_?id)?|conversation_?id|thread_?(?:id|ts)|topic(?:_?arn)?)$/i,
  ],
  [
    'account',
    /^(?:account(?:_?(?:id|number|name))?|customer(?:_?id)?|iban|wallet(?:_?address)?|destination_?account|payee|card(?:_?id)?|subscription(?:_?id)?|payment_?intent(?:_?id)?|charge(?:_?id)?)$/i,
  ],
  ['amount', /^(?:amount|amount_?(?:in_?)?(?:cents|usd)|total|price|quantity)$/i],
  [
    'repository',
    /^(?:owner|repo|repository|project(?:_?(?:id|key))?|branch|bucket|database|table|namespace|cluster|instance_?ids?)$/i,
  ],
]

const MOST = 24
const LONGEST = 200

const lastName = (pointer: string): string => {
  const parts = pointer.split('/')
  const last = parts.at(-1) ?? ''
  return /^\d+$/.test(last) ? (parts.at(-2) ?? '') : last
}

/** Who and what a call is about: recipients, channels, accounts, amounts, things, as `what:value`. */
export const namedTargets = (input: JsonObject): readonly Target[] => {
  const numbers = Object.entries(input).flatMap(([name, value]) =>
    typeof value === 'number' ? [[`/input/${name}`, String(value)] as const] : [],
  )
  const found: Target[] = []
  for (const [pointer, text] of [...stringsIn(input, '/input'), ...numbers]) {
    if (found.length >= MOST) break
    if (text === '' || text.length > LONGEST) continue
    const what = NAMED.find(([, name]) => name.test(lastName(pointer)))?.[0]
    if (what !== undefined) found.push({ type: 'resource', name: `${what}:${text}` })
  }
  return found
}
