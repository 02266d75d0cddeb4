import { type ArgumentName, argumentName } from './argument-name.ts'
import { OPENS, doingOf, wordsOf } from './tool-words.ts'
import { type ToolUse, leavesIn } from './tool.ts'

const CHANGES = new Set([...OPENS].filter((verb) => !/^(?:create|add|insert|make|register)$/.test(verb)))
/** Keys that grant access. */
const KEY =
  /(?:^|_)(?:deploy_?key|ssh_?key|access_?key|api_?key|public_?key|authorized_?key|service_account_key|personal_access_token)s?(?:_|$)/
const AUDIENCE =
  /(?:^|_)(?:type|visibility|access|acl|audience|scope|role|permission|permissions|share_with|member|members|principal|sharing|role_name|level)$/
const EVERYBODY =
  /^(?:anyone|anyone_?with_?(?:the_?)?link|allusers|allauthenticatedusers|everyone|public|public-read(?:-write)?|world|\*)$/i
const POWERFUL =
  /^(?:admin|administrator|owner|maintain|maintainer|root|superuser|super_?admin|roles\/(?:owner|editor)|administratoraccess)$/i
const AWAY = /^(?:transfer|move|change|reassign)_(?:repository|repo|project|ownership|owner|domain|organization|site)/

const isAudience = ({ own }: ArgumentName): boolean => AUDIENCE.test(own)

/** Emits that a call opens something to everybody, grants an administrator's rights, or transfers ownership. */
export const emitGrants = (use: ToolUse): void => {
  const words = wordsOf(use.tool.name, use.tool.server)
  const { verb } = doingOf(words)
  const name = words.join('_')
  const leaves = leavesIn(use.input, '/input')
  const opened =
    CHANGES.has(verb) &&
    Object.entries(use.input).some(
      ([member, value]) =>
        (/^(?:private|is_?private)$/i.test(member) && value === false) ||
        (/^(?:public|is_?public|make_?public|anonymous)$/i.test(member) && value === true),
    )
  const isGranted = leaves.some(
    ([pointer, leaf]) =>
      typeof leaf === 'string' &&
      isAudience(argumentName(pointer)) &&
      ((CHANGES.has(verb) && EVERYBODY.test(leaf)) || (OPENS.has(verb) && POWERFUL.test(leaf))),
  )
  if (opened || isGranted || (OPENS.has(verb) && KEY.test(name)) || AWAY.test(name))
    use.engine.emit(
      {
        kind: 'access.grant',
        by: use.tool.name,
        targets: [{ type: 'resource', name: use.tool.server ?? use.tool.name }],
        traits: ['all'],
      },
      use.at(''),
    )
}
