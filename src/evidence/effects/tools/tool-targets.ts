import type { Target } from '../../../protocol/evidence.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { argumentName } from './argument-name.ts'
import { leavesIn } from './tool.ts'

const END = '(?:_(?:id|ids|email|emails|address|addresses|number|name|names|ts|arn))*$'

const named = (...words: readonly string[]): RegExp => new RegExp(`(?:^|_)(?:${words.join('|')})${END}`)

/** Arguments that name a person or a thing, by their names in lower case. */
const NAMED: readonly (readonly [what: string, name: RegExp])[] = [
  ['account', named('accounts?', 'customers?', 'iban', 'wallets?', 'payee', 'beneficiary')],
  ['account', named('credit_card', 'debit_card', 'card_number', 'subscription', 'payment_intent', 'charge')],
  ['amount', /(?:^|_)(?:amount|amount_?(?:in_?)?(?:cents|usd)|sum|total|price|quantity)$/],
  ['channel', named('channels?', 'chat', 'room', 'conversation', 'threads?', 'topic')],
  [
    'recipient',
    named('to', 'cc', 'bcc', 'recipients?', 'receivers?', 'receive', 'emails?', 'upn', 'phones?', 'mobile'),
  ],
  ['recipient', named('attendees?', 'invitees?', 'participants?', 'assignees?', 'followers?', 'members?', 'users?')],
  ['recipient', /(?:^|_)(?:username|login|reviewers?)$/],
  [
    'repository',
    /^(?:owner|repo|repository|project(?:_(?:id|key))?|branch|bucket|database|table|namespace|cluster|instance_ids?)$/,
  ],
]

/** A reply's `in_reply_to` and a range's `to` name no one. */
const NO_ONE = /(?:^|_)in_reply_to$/
const NOBODY = /^(?:\d{4}-\d\d-\d\d.*|\/.*|\w+:\/\/.*)$/

const ADDRESS = /^[^\s@<>]{1,64}@[^\s@<>]{1,253}\.[A-Za-z]{2,}$/

const MOST = 24
const LONGEST = 200

/** The person or thing that an argument names; `undefined` for none. */
export const whatOf = (pointer: string, text: string): string | undefined => {
  if (text === '' || text.length > LONGEST) return undefined
  // A whole mail address identifies a person, regardless of the argument's name.
  if (ADDRESS.test(text)) return 'recipient'
  const { own, full } = argumentName(pointer)
  const what = NAMED.find(([, name]) => name.test(own) || name.test(full))?.[0]
  return what === 'recipient' && (NO_ONE.test(own) || NOBODY.test(text)) ? undefined : what
}

/** Persons and things of a call: recipients, channels, accounts, amounts, things, as `what:value`. */
export const namedTargets = (input: JsonObject): readonly Target[] => {
  const found: Target[] = []
  for (const [pointer, value] of leavesIn(input, '/input')) {
    if (found.length >= MOST) break
    const text = String(value)
    const what = whatOf(pointer, text)
    if (what !== undefined) found.push({ type: 'resource', name: `${what}:${text}` })
  }
  return found
}
