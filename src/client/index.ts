/** `sallyport/client`: what a program imports to ask a guard. */
export { createClient } from './client.ts'
export type { Client, ClientOptions, ClientStep, ClientVerdict } from './client.ts'
export type { PeerTls } from './peer.ts'
export type { AosSelf } from '../protocol/aos/write-request.ts'
export type * from '../protocol/json.ts'
export type * from '../protocol/step.ts'
export type { PolicyRef } from '../protocol/verdict.ts'
