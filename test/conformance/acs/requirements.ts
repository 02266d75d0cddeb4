import type { Requirement } from '../manifest.ts'

/**
 * What ACS 0.1.0 asks of a guardian, for profile acs-core and the one rule of acs-audit. Clauses are sections of the
 * Instrument specification unless a page is named.
 */
export const ACS_REQUIREMENTS: readonly Requirement[] = [
  { id: 'hello', clause: '4', says: 'A ClientHello is answered with a ServerHello that holds every member it must.' },
  {
    id: 'hello-methods',
    clause: '4, handshake.json',
    says: '`methods_evaluated` is that part of the caller’s methods which is decided on.',
  },
  { id: 'hello-profiles', clause: 'conformance.md', says: 'Only profiles that are met are accepted.' },
  { id: 'hello-unknown', clause: '4', says: 'Members that nobody knows are ignored in a ClientHello.' },
  {
    id: 'hello-version',
    clause: '4, 17.1',
    says: 'A caller without a common version is refused with `UNSUPPORTED_VERSION` and the versions that are spoken.',
  },
  { id: 'hello-invalid', clause: '17', says: 'A ClientHello without what it must hold is refused with -32602.' },
  {
    id: 'hello-first',
    clause: '4, 17.1',
    says: 'A step of a session that has not said hello is refused with `CAPABILITY_NOT_NEGOTIATED` and the method to send.',
  },
  {
    id: 'posture',
    clause: '6.4',
    says: 'The failure posture that is declared is `deny`, unless the deployment has chosen otherwise.',
  },
  {
    id: 'envelope',
    clause: '3, conformance.md',
    says: 'A request without version, request id, timestamp, metadata or payload is refused with -32602.',
  },
  {
    id: 'envelope-closed',
    clause: 'request-envelope.json',
    says: 'A request with a further member beside those of JSON-RPC is refused.',
  },
  { id: 'version-major', clause: '3', says: 'Any version of the same major number is taken.' },
  { id: 'forward', clause: '3', says: 'Unknown members of the params are ignored.' },
  {
    id: 'batch',
    clause: '3',
    says: 'An array of requests is evaluated one by one in its order, each with its own reply.',
  },
  { id: 'hooks-minimum', clause: 'conformance.md', says: 'The hooks that every deployment must have are decided on.' },
  { id: 'hooks-all', clause: '5', says: 'All nineteen hooks are decided on.' },
  { id: 'agbom', clause: '5, hooks.md', says: '`agbom/snapshot` and `agbom/changed` are taken into the chain.' },
  {
    id: 'mcp',
    clause: 'conformance.md, extend_mcp.md',
    says: 'Wrapped MCP messages are decided on, calls of tools and what is read alike.',
  },
  { id: 'mcp-prefix', clause: '3', says: 'The explicit form `wrapped:` of a wrapped method is the same method.' },
  { id: 'unknown-method', clause: '17', says: 'A method that does not exist is refused with -32601.' },
  {
    id: 'payload',
    clause: '17',
    says: 'A payload without what its hook must hold is refused with -32602 and the place.',
  },
  { id: 'allow', clause: '6', says: 'What nothing speaks against is allowed.' },
  { id: 'deny', clause: '6', says: 'A denial carries its reasoning and the rules that fired, with their version.' },
  {
    id: 'ask',
    clause: '6, 9',
    says: 'A step that a person has to approve is asked about where the caller has people to ask.',
  },
  {
    id: 'ask-unsupported',
    clause: '9.2, 17.2',
    says: 'Where the caller has nobody to ask, the answer is a denial with `approver_unavailable`.',
  },
  {
    id: 'defer',
    clause: '6',
    says: 'A deferral names its reason, how it resolves, by when, and that it ends in a denial.',
  },
  { id: 'defer-bounded', clause: '6', says: 'A session cannot put off its steps for ever.' },
  { id: 'modify-arguments', clause: '6.3', says: 'Changed arguments are whole parameter overrides.' },
  { id: 'modify-content', clause: '6.3', says: 'Changed content is redacted where it stands, and nothing else.' },
  {
    id: 'modify-unsupported',
    clause: '6.5, 17.2',
    says: 'Where the caller cannot change a step, the answer is a denial with `modify_unsupported`.',
  },
  { id: 'after-compact', clause: '6.5, hooks.md', says: 'A compaction that has happened is never denied.' },
  { id: 'audit-only', clause: 'hooks.md', says: 'Hooks that only report are never denied, whatever they hold.' },
  {
    id: 'chain-hash',
    clause: '8.2',
    says: 'The chain’s head is the hash that the standard’s formula gives for the entry and the head before it.',
  },
  {
    id: 'chain-published',
    clause: '8.6',
    says: 'Every decision carries the head of its session’s chain, under the signature.',
  },
  {
    id: 'chain-mismatch',
    clause: '8.6, 17.1',
    says: 'A caller whose head the session never had is refused with `CHAIN_MISMATCH`.',
  },
  { id: 'chain-lasts', clause: '8', says: 'The chain goes on after the guard was started again.' },
  {
    id: 'request-hash',
    clause: '8.1, conformance.md (acs-audit)',
    says: 'Every entry commits to the content of its request.',
  },
  {
    id: 'signature',
    clause: '10, 17.1',
    says: 'A request whose signature is missing or does not cover it is refused with `SIGNATURE_INVALID`.',
  },
  { id: 'signature-bound', clause: '10', says: 'A signature of one session is none in another.' },
  { id: 'signed-results', clause: '10', says: 'Every result but that of a ping is signed over its whole envelope.' },
  { id: 'signed-errors', clause: 'conformance.md', says: 'Every refusal whose session can be told is signed too.' },
  {
    id: 'replay',
    clause: '10.3, 17.1',
    says: 'A request id is taken once in a session, also after the guard was started again.',
  },
  { id: 'nonce', clause: '10.3', says: 'A nonce is taken once in a session.' },
  {
    id: 'window',
    clause: '10.3, 17.1',
    says: 'A timestamp outside of the window is refused with `TIMESTAMP_OUT_OF_WINDOW` and the window.',
  },
  { id: 'ping', clause: '13', says: 'A ping is allowed without a signature or a session, and stays out of the chain.' },
  { id: 'schema', clause: 'response-envelope.json', says: 'Every response is valid against the schema of responses.' },
]
