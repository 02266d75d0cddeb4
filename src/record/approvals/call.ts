import { createHmac } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { Call } from '../../core/approvals.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { canonicalJson } from '../../protocol/canonical-json.ts'
import type { Step } from '../../protocol/step.ts'

/** The call of a step. A host's permission question is about the call that it asks for. */
export const callOf = (step: Step): JsonObject =>
  step.kind === 'toolCallRequest' || step.kind === 'permissionRequest'
    ? {
        tool: step.payload.tool.name,
        ...(step.payload.tool.server === undefined ? {} : { server: step.payload.tool.server }),
        input: step.payload.input,
      }
    : { kind: step.kind, payload: step.payload as unknown as Json }

/** The target of the call, in a word. */
export const toolOf = (step: Step): string =>
  step.kind === 'toolCallRequest' || step.kind === 'permissionRequest' ? step.payload.tool.name : step.kind

type Seen = readonly (string | null)[]

const byQuestion = ([a]: Seen, [b]: Seen): number => ((a ?? '') < (b ?? '') ? -1 : 1)

/**
 * HMAC-SHA256, hex, over the RFC 8785 form of the members that identify a call: host, agent, working directory, tool,
 * arguments, and their targets on the machine. Keyed, since an argument may be a secret that could be guessed.
 */
export const digestOf = ({ step, seen }: Call, key: KeyObject): string =>
  createHmac('sha256', key)
    .update(
      canonicalJson({
        host: step.host,
        agent: step.agent.id,
        cwd: step.session.cwd ?? null,
        call: callOf(step),
        seen: seen.map(({ question, answer }) => [question, answer]).toSorted(byQuestion),
      }),
    )
    .digest('hex')
