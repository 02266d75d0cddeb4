/** `sallyport/client`: what a program imports to ask a guard. */
export { createClient } from './client.ts'
export type { Client, ClientOptions, ClientStep, ClientStepKind, ClientVerdict } from './client.ts'
export type { PeerTls } from './peer.ts'
export type { AosSelf } from '../protocol/aos/write-request.ts'
export type { Json, JsonObject } from '../protocol/json.ts'
export type {
  AgentRef,
  Attachments,
  Direction,
  StepPayloads,
  StepTrace,
  ToolDefinition,
  ToolRef,
} from '../protocol/step.ts'
export type { PolicyRef } from '../protocol/verdict.ts'
