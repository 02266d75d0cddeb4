import type { EffectKind, EffectTrait, Target } from '../../../../protocol/evidence.ts'
import type { Json } from '../../../../protocol/json.ts'
import { type HostTarget, hostOf } from '../../places/hosts.ts'
import { type ToolAction, type ToolRow, type ToolUse, placeOfText, emitNothing } from '../tool.ts'

/** A text among the arguments with its JSON pointer. */
export type TextAt = readonly [pointer: string, text: string]

const textsOf = (pointer: string, value: Json | undefined): readonly TextAt[] => {
  if (typeof value === 'string') return [[pointer, value]]
  if (typeof value === 'number') return [[pointer, String(value)]]
  return Array.isArray(value)
    ? (value as readonly Json[]).flatMap((one, at) =>
        typeof one === 'string' ? [[`${pointer}/${at}`, one] as const] : [],
      )
    : []
}

/** The texts of these members, each a text or a list of them; empty ones are left out. */
export const textsAt = (use: ToolUse, ...members: readonly string[]): readonly TextAt[] =>
  members.flatMap((member) => textsOf(`/input/${member}`, use.input[member])).filter(([, text]) => text.trim() !== '')

/** Something that is neither path nor host, as a target. */
export const thing = (name: string): Target => ({ type: 'resource', name })

/** Targets `what:text` of the texts of these members. */
export const things = (use: ToolUse, what: string, ...members: readonly string[]): readonly Target[] =>
  textsAt(use, ...members).map(([, text]) => thing(`${what}:${text}`))

/** Emits one effect of the whole call; its target is the tool itself by default. */
export const emitOne = (
  use: ToolUse,
  kind: EffectKind,
  targets: readonly Target[] = [thing(use.tool.name)],
  traits: readonly EffectTrait[] = [],
): void => use.engine.emit({ kind, by: use.tool.name, targets, traits }, use.at(''))

/** Emits that a tool acts on these targets, so that rules on tool calls apply. */
export const emitAct = (use: ToolUse, targets: readonly Target[] = []): void =>
  emitOne(use, 'tool.call', [thing(use.tool.name), ...targets])

/** A run that emits one effect of the whole call. */
export const emitting =
  (kind: EffectKind, ...members: readonly string[]) =>
  (use: ToolUse): void => {
    const targets = textsAt(use, ...members).map(([, text]) => thing(text))
    emitOne(use, kind, targets.length > 0 ? targets : undefined)
  }

/** Emits that something is fetched from a host or sent to it. */
export const emitHosts = (use: ToolUse, kind: 'net.fetch' | 'net.send', texts: readonly TextAt[]): void => {
  for (const [pointer, text] of texts) {
    const host: HostTarget | undefined = hostOf(text.trim())
    const targets: readonly Target[] = [host ?? { type: 'unknown', raw: text.slice(0, 256) }]
    use.engine.emit({ kind, by: use.tool.name, targets }, placeOfText(pointer, text))
  }
}

/** `gatewayUrl` sends a call, with the token, to another gateway than the one that runs the agent. */
const emitGateway = (use: ToolUse): void => emitHosts(use, 'net.send', textsAt(use, 'gatewayUrl'))

const alsoGateway =
  (run: ToolRow['run']): ToolRow['run'] =>
  (use) => {
    emitGateway(use)
    run(use)
  }

/** A row of a tool that takes `gatewayUrl` and `gatewayToken` beside its own arguments. */
export const throughGateway = (row: ToolRow): ToolRow => ({
  ...row,
  run: alsoGateway(row.run),
  ...(row.actions === undefined
    ? {}
    : { actions: row.actions.map((action) => ({ ...action, run: alsoGateway(action.run) })) }),
})

/** Actions that only read, without further effects. */
export const looks = (...names: readonly string[]): ToolAction => ({ names, sideEffect: 'read_only', run: emitNothing })
