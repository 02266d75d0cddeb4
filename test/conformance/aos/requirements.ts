import type { Requirement } from '../manifest.ts'

const HOOKS = 'AOS 0.1.0, instrument/hooks.md'
const SPEC = 'AOS 0.1.0, instrument/specification.md'
const SCHEMA = 'AOS 0.1.0, aos_schema.json'

const requirement = (id: string, clause: string, says: string): Requirement => ({ id, clause, says })

/** Every method has to be decided on before its subject continues. */
const METHODS: readonly Requirement[] = [
  ['trigger', '2 and hooks.md 1', 'steps/agentTrigger'],
  ['message', '4.5 and hooks.md 4', 'steps/message, of a user, an agent or the system'],
  ['tool-call', '4.6 and hooks.md 2', 'steps/toolCallRequest'],
  ['tool-result', '4.6.1 and hooks.md 3', 'steps/toolCallResult'],
  ['memory-retrieval', '4.3 and hooks.md 5', 'steps/memoryContextRetrieval'],
  ['memory-store', '4.4 and hooks.md 7', 'steps/memoryStore'],
  ['knowledge', '4.7 and hooks.md 6', 'steps/knowledgeRetrieval'],
  ['mcp', '4.10 and extend_mcp.md', 'protocols/MCP, outbound and inbound'],
  ['a2a-send', '4.8 and a2a/hooks/send_message_request.md', 'message/send'],
  ['a2a-stream', '4.8 and a2a/hooks/stream_message_request.md', 'message/stream'],
  ['a2a-get', '4.8 and a2a/hooks/get_task_request.md', 'tasks/get'],
  ['a2a-cancel', '4.8 and a2a/hooks/cancel_task_request.md', 'tasks/cancel'],
  ['a2a-resubscribe', '4.8 and a2a/hooks/resubscribe_to_task_request.md', 'tasks/resubscribe'],
  [
    'a2a-push-set',
    '4.8 and a2a/hooks/set_task_push_notification_config_request.md',
    'tasks/pushNotificationConfig/set',
  ],
  [
    'a2a-push-get',
    '4.8 and a2a/hooks/get_task_push_notification_config_request.md',
    'tasks/pushNotificationConfig/get',
  ],
].map(([id, clause, method]) =>
  requirement(`method-${id}`, `AOS 0.1.0, specification.md ${clause}`, `It gives a decision on ${method}.`),
)

/** What AOS 0.1.0 asks of a Guardian Agent and of who asks it, and what Sallyport promises where AOS leaves it open. */
export const AOS_REQUIREMENTS: readonly Requirement[] = [
  requirement('http', `${SPEC} 2.2`, 'It answers JSON-RPC 2.0 over HTTP POST, with JSON in a JSON content type.'),
  requirement(
    'id',
    `${SPEC} 3.12`,
    'It gives a reply the id of its request, a text as a text and a number as a number.',
  ),
  requirement(
    'batch',
    'JSON-RPC 2.0, 6',
    'It answers a batch with a list that holds a reply to each call that has an id.',
  ),
  requirement('notification', 'JSON-RPC 2.0, 4.1', 'It sends no reply to a call without an id.'),
  requirement(
    'error-parse',
    `${SCHEMA} JSONParseError`,
    'It answers what is no JSON with -32700, its text and the id null.',
  ),
  requirement(
    'error-request',
    `${SCHEMA} InvalidRequestError`,
    'It answers what is no JSON-RPC call with -32600 and its text.',
  ),
  requirement(
    'error-method',
    `${SCHEMA} MethodNotFoundError`,
    'It answers a method it does not know with -32601 and its text.',
  ),
  requirement(
    'error-params',
    `${SCHEMA} InvalidParamsError`,
    'It answers params that are missing or do not hold with -32602 and its text.',
  ),
  requirement(
    'error-silent',
    'Sallyport',
    'It tells in an error what was wrong with which place, and quotes nothing of the input.',
  ),
  ...METHODS,
  requirement('decision', `${SCHEMA} ASOPSuccessResult`, 'It decides allow, deny or modify, and nothing else.'),
  requirement(
    'message',
    `${SCHEMA} ASOPSuccessResult`,
    'It sends a message with every decision, a sentence for people.',
  ),
  requirement('reason', `${SPEC} 5.1.1`, 'It gives its reasoning and its reason codes with a refusal and a change.'),
  requirement('data', `${SPEC} 5.1.1`, 'It names policy, policy version, guardians and findings in data.'),
  requirement(
    'modified-complete',
    'AOS 0.1.0, extend_mcp.md',
    'It sends with modify a whole request of the same id and method.',
  ),
  requirement(
    'modified-only',
    `${SCHEMA} ASOPSuccessResult`,
    'It sends a modified request with modify and with nothing else.',
  ),
  requirement(
    'modified-rest',
    'Sallyport',
    'It leaves everything in a modified request as it was but what had to be changed.',
  ),
  requirement('modified-none', 'AOS 0.1.0, a2a/hooks', 'It does not modify what the standard has no modified form of.'),
  requirement(
    'ping',
    `${SCHEMA} PingRequestResult`,
    'It answers ping with status, version and time, and decides nothing.',
  ),
  requirement(
    'accept-task-names',
    `${SCHEMA} A2ATaskGet`,
    'It takes the names of task methods as text and as schema have them.',
  ),
  requirement('accept-a2a-names', 'A2A 1.0.1, 9.4', 'It takes the method names of A2A 1.0.'),
  requirement(
    'accept-page-names',
    'Joch, hooks',
    'It takes the names of the pages that describe the A2A hooks as methods.',
  ),
  requirement(
    'accept-a2a-events',
    'AOS 0.1.0, trace/events.md',
    'It takes protocols/A2A with the raw message in message.',
  ),
  requirement(
    'accept-raw-mcp',
    'AOS 0.1.0, extend_mcp.md',
    'It takes a raw MCP message in params, and gives it back there.',
  ),
  requirement('accept-agent', `${SPEC} 3.1`, 'It takes an agent without url or instructions.'),
  requirement(
    'accept-flat-result',
    `${SPEC} 4.6.1`,
    'It takes the result of a call beside its context as well as nested.',
  ),
  requirement('accept-citation', `${SPEC} 4.5.1`, 'It takes a message with citations by either name, or with none.'),
  requirement('accept-more', 'JSON Schema draft-07', 'It takes members that it does not know.'),
  requirement('beside', 'Sallyport', 'It looks at members that it does not know as at all else.'),
  requirement('exact', 'Sallyport', 'It gives no number back that JSON may have rounded.'),
  requirement(
    'session',
    'Sallyport',
    'It lets no message choose the session that it is judged in where a caller told one.',
  ),
  requirement('subagent', 'Sallyport', 'It takes what a subagent is told for the word of an agent.'),
  requirement(
    'accept-flat-a2a',
    `${SPEC} 4.8.1`,
    'It takes payload and context of A2A beside the method as well as in params.',
  ),
  requirement(
    'gateway',
    SPEC,
    'It is understood by a gateway that has only the text of the standard as by its own client.',
  ),
  requirement('direction-mcp', `${SPEC} 4.10`, 'It tells from an MCP message which way it goes.'),
  requirement('direction-a2a', `${SPEC} 4.9`, 'It tells from an A2A message and its context which way it goes.'),
  requirement(
    'mcp-tools',
    `${SPEC} 4.10`,
    'It decides on tools/call and its result as it does on the call of any tool.',
  ),
  requirement(
    'join',
    `${SCHEMA} ToolCallResult`,
    'It knows of a result which call it belongs to, and trusts one of no known call least.',
  ),
  requirement('ambiguous', 'Sallyport', 'It refuses what can be read in two ways.'),
  requirement('dialect-published', SCHEMA, 'It speaks the published schema to the letter to those who ask for that.'),
  requirement('dialect-joch', 'Joch, hooks', 'It speaks as Joch has it to those who ask for that.'),
  requirement('dialect-unknown', 'Sallyport', 'It refuses a dialect it does not know and names those it does.'),
  requirement(
    'closed',
    `${HOOKS}, left open`,
    'It denies, and sends no error, when it fails on a step that it understood.',
  ),
  requirement(
    'recorded',
    'Sallyport',
    'It keeps a record of each decision, with the context it was asked in, before it replies.',
  ),
  requirement('approval', 'Sallyport', 'It denies what a person has to agree to, and names the approval that waits.'),
  requirement('trace', 'W3C Trace Context, 3.2', 'It joins its record to the trace of the caller.'),
  requirement(
    'client-request',
    `${SCHEMA} ASOPRequest`,
    'It asks others in requests that hold all that the schema requires.',
  ),
  requirement('client-refuses', 'Sallyport', 'It takes a reply that contradicts itself or its request for no reply.'),
  requirement('client-accepts', 'Joch, hooks', 'It takes a reply that gives a reason for a message.'),
]
