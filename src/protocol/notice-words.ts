/** Who reads an answer of the guard: somebody who chats with an assistant, or somebody at a terminal of the machine. */
export type Audience = 'chat' | 'terminal'

/**
 * What a person can do in the end, beside what the words say: try `again`, `tell` whoever runs the assistant, tell them if
 * it is `wrong`, or nothing more.
 */
export type Recourse = 'again' | 'tell' | 'wrong' | 'none'

interface Words {
  /** What happened, why, and what helps, for somebody who knows nothing of the guard's insides. */
  readonly chat: string
  /** The same for somebody who can run a command; the model of a coding agent reads it too. */
  readonly terminal: string
  /** How a chat goes on from there. */
  readonly recourse: Recourse
}

const UNCHECKED = 'This could not be checked, {refused}.'
const UNREADABLE = 'The request could not be read, {refused}.'
const TOO_LARGE = 'This is too large to be checked whole. Send it in smaller parts.'
const UNRECORDED = 'This could not be recorded, and nothing happens here without a record.'
const NOT_SET_UP = 'This assistant is not set up correctly, and does nothing until that is fixed.'
const CHANGED = 'Something that keeps this assistant safe was changed and nobody has confirmed it, so it has stopped.'
const NOT_BELIEVED = 'This did not come from where this conversation takes place, {refused}.'
const DOCTOR = '`sallyport doctor` in a terminal says what is wrong.'
const AGAIN = `Try again; if it goes on, ${DOCTOR}`

/** What becomes of a step on which there is no verdict, and of one that had happened before there could be one. */
export const REFUSED: { readonly [A in Audience]: { readonly inTime: string; readonly late: string } } = {
  chat: { inTime: 'so it was not let through', late: 'though it had happened already' },
  terminal: { inTime: 'so it was refused', late: 'though it had happened already' },
}

/**
 * What the guard itself says to people, by its code; `{refused}` stands for what became of the step. Rules speak for themselves; the operator's words for the same codes
 * are in errors.ts, and stand in the trace and the log.
 */
export const NOTICE_WORDS = {
  SP_GUARDIAN_TIMEOUT: {
    chat: 'One of the checks on this took too long, {refused}.',
    terminal: `One of the checks on this took too long, {refused}. ${AGAIN}`,
    recourse: 'again',
  },
  SP_GUARDIAN_UNREACHABLE: {
    chat: 'One of the checks on this could not be reached, {refused}.',
    terminal: `One of the checks on this could not be reached, {refused}. ${AGAIN}`,
    recourse: 'again',
  },
  SP_GUARDIAN_INVALID: {
    chat: 'One of the checks on this failed, {refused}.',
    terminal: `One of the checks on this failed, {refused}. ${AGAIN}`,
    recourse: 'again',
  },
  SP_NO_OPINION: {
    chat: 'Nothing here is set up to check this, {refused}.',
    terminal: `Nothing is set up to check this, {refused}. ${DOCTOR}`,
    recourse: 'tell',
  },
  SP_BUDGET_EXHAUSTED: {
    chat: 'This is too long or too complicated to be checked whole. Send it in smaller parts.',
    terminal: 'This is too long or too complicated to be checked whole. Split it into smaller parts.',
    recourse: 'wrong',
  },
  SP_TOO_COSTLY: {
    chat: 'Checking this took too long, {refused}. Send it in smaller parts.',
    terminal:
      'Checking this took too long, {refused}. Split it into smaller parts: fewer commands at a time, smaller results.',
    recourse: 'wrong',
  },
  SP_ANALYSIS_FAILED: {
    chat: UNCHECKED,
    terminal:
      'This could not be analysed, {refused}. The fault is in Sallyport: please report it, with what `sallyport doctor` prints.',
    recourse: 'tell',
  },
  SP_EDIT_INVALID: {
    chat: 'Something had to be taken out of this, and that failed, {refused}.',
    terminal: 'Something had to be taken out of this, and that failed, {refused}.',
    recourse: 'tell',
  },
  SP_EDIT_UNSTABLE: {
    chat: 'Something had to be taken out of this, and that failed, {refused}.',
    terminal: 'Two rules want this changed in ways that contradict each other, {refused}.',
    recourse: 'tell',
  },
  SP_GUARD_FAILED: {
    chat: UNCHECKED,
    terminal: `The guard failed on this, {refused}. ${AGAIN}`,
    recourse: 'again',
  },
  SP_STORE_UNAVAILABLE: {
    chat: UNRECORDED,
    terminal: `The guard could not write its record, and nothing runs without it. Free disk space; ${DOCTOR}`,
    recourse: 'again',
  },
  SP_STORE_CLOSED: {
    chat: UNRECORDED,
    terminal: 'The guard is stopping, and nothing runs without it. Try again in a moment.',
    recourse: 'again',
  },
  SP_LABELS_UNAVAILABLE: {
    chat: UNRECORDED,
    terminal: `The guard could not keep what this session has touched, and nothing runs without that. Free disk space; ${DOCTOR}`,
    recourse: 'again',
  },
  SP_INPUT_NOT_JSON: {
    chat: UNREADABLE,
    terminal: `What this client sent to the guard could not be read, {refused}. ${DOCTOR}`,
    recourse: 'tell',
  },
  SP_INPUT_FIELD: {
    chat: UNREADABLE,
    terminal:
      'What this client sent to the guard is not as expected, {refused}. Your client may be newer than Sallyport: ' +
      'update Sallyport.',
    recourse: 'tell',
  },
  SP_EVENT_UNKNOWN: {
    chat: UNREADABLE,
    terminal:
      'This client does something that Sallyport does not know yet, {refused}. Update Sallyport: your client is newer.',
    recourse: 'tell',
  },
  SP_INPUT_TOO_LARGE: {
    chat: TOO_LARGE,
    terminal: 'This is too large to be checked, {refused}. Work in smaller parts.',
    recourse: 'wrong',
  },
  SP_INPUT_TOO_DEEP: {
    chat: TOO_LARGE,
    terminal: 'This is nested too deeply to be checked, {refused}. Make it flatter.',
    recourse: 'wrong',
  },
  SP_INPUT_TOO_MANY: {
    chat: TOO_LARGE,
    terminal: 'This holds too many values to be checked, {refused}. Work in smaller parts.',
    recourse: 'wrong',
  },
  SP_UNAUTHORIZED: {
    chat: NOT_SET_UP,
    terminal: 'The guard does not know this client, {refused}. Run `sallyport install` again in a terminal.',
    recourse: 'tell',
  },
  SP_TLS_REQUIRED: {
    chat: NOT_SET_UP,
    terminal:
      'This client does not reach the guard by its protected address, {refused}. ' +
      'Run `sallyport install claude-code` in a terminal, then start the client again.',
    recourse: 'tell',
  },
  SP_GUARD_UNREACHABLE: {
    chat: UNCHECKED,
    terminal: `The guard does not answer and could not be started. Nothing runs until it answers. ${DOCTOR}`,
    recourse: 'again',
  },
  SP_GUARD_SILENT: {
    chat: UNCHECKED,
    terminal:
      'The guard takes connections and does not answer (its process is {process}). Nothing runs until it does. Send this ' +
      'again in some seconds. If it stays so, run `sallyport doctor claude-code` in a terminal: it names the process to end.',
    recourse: 'again',
  },
  SP_SERVICE_DOWN: {
    chat: UNCHECKED,
    terminal:
      'The guard of this machine does not answer, and nothing runs until it does. ' +
      '`{service}` in a terminal shows its state; an administrator starts it again.',
    recourse: 'again',
  },
  SP_USAGE: {
    chat: NOT_SET_UP,
    terminal:
      'The settings of this client start the guard in a way that it does not know. ' +
      'Run `sallyport install claude-code` in a terminal.',
    recourse: 'tell',
  },
  SP_SESSION_FORGED: {
    chat: NOT_BELIEVED,
    terminal:
      'This was sent by {by}, and not by the client whose session it is (process {pid}). It is not believed, and changes ' +
      'nothing. Look at what the agent ran just before.',
    recourse: 'tell',
  },
  SP_SESSION_ELSEWHERE: {
    chat: NOT_BELIEVED,
    terminal:
      'This session is open in another client (process {pid}). Close that one first, or resume with `--fork-session`.',
    recourse: 'tell',
  },
  SP_SESSION_HOST: {
    chat: NOT_BELIEVED,
    terminal: 'This session belongs to another program, {host}. Start a new session.',
    recourse: 'tell',
  },
  SP_SESSION_PROCESS: {
    chat: NOT_BELIEVED,
    terminal:
      'The guard cannot see which program sent this, and is set to refuse that. ' +
      'Run guard and client as the same user and in the same container.',
    recourse: 'tell',
  },
  SP_GUARD_CHANGED: {
    chat: CHANGED,
    terminal:
      '{what} changed and no person accepted it ({path}): {findings}. Nothing goes on in the sessions that it concerns until ' +
      'then. Run `sallyport changes` in a terminal of your own: it shows the change; `sallyport changes revert` puts it ' +
      'back, `sallyport changes accept` accepts it.',
    recourse: 'tell',
  },
  SP_RELOAD_REFUSED: {
    chat: CHANGED,
    terminal:
      'The changed settings are not loaded into the running session: {path}. The next session loads them. A session loads ' +
      'settings only after `sallyport install`, or when a person accepted the change.',
    recourse: 'tell',
  },
  SP_SETTINGS_WEAK: {
    chat: NOT_SET_UP,
    terminal:
      'The settings of this session go past the guard in places, or load programs before it: {findings}. ' +
      'Run `sallyport doctor` in the folder of the session before you work there.',
    recourse: 'tell',
  },
  SP_REFUSED_CALL_RAN: {
    chat: CHANGED,
    terminal:
      'A call that was refused has run all the same, so nothing holds the client of session {session}: {findings}. ' +
      'End the client, and look at what it did with `sallyport trace show`. Nothing goes on in the session until you run ' +
      '`sallyport changes accept` in a terminal of your own.',
    recourse: 'tell',
  },
  SP_REPOSITORY_RUNS: {
    chat: NOT_SET_UP,
    terminal:
      'This folder has the client run programs that no call of the agent names ({path}): {findings}. The guard sees nothing ' +
      'of what they do. Look at them, and take out of .claude and .mcp.json what you do not want; this is told once for each.',
    recourse: 'tell',
  },
  SP_APPROVAL_ASKED: {
    chat:
      '(Approval {id}. If nobody is asked here, tell this number to the person who runs this assistant; ' +
      'once they have agreed, make the very same call again.)',
    terminal:
      '(Approval {id}. Where nobody is asked, a person signs it with `sallyport approvals approve {id}`; then make the very same call again.)',
    recourse: 'none',
  },
  SP_APPROVAL_ASKED_KEYLESS: {
    chat: '(Approval {id}. If nobody is asked here, tell this number to the person who runs this assistant.)',
    terminal:
      '(Approval {id}. Where nobody is asked, a person has to enrol a key first: `sallyport keys add passphrase` in a terminal.)',
    recourse: 'none',
  },
  SP_APPROVAL_PENDING: {
    chat:
      'A person has to agree to this first: approval {id}, open until {until}. Tell this number to the person who runs this ' +
      'assistant. Once they have agreed, make the very same call again; nobody but a person can agree.',
    terminal:
      'This call waits as approval {id} for a person to answer, until {until}. They run `sallyport approvals approve {id}` in ' +
      'a terminal of their own and sign it, or `deny`. Wait for that, then make the very same call again; nobody but a person can answer.',
    recourse: 'none',
  },
  SP_APPROVAL_KEYLESS: {
    chat:
      'A person has to agree to this first (approval {id}, open until {until}), and nobody is set up for that yet. ' +
      'Tell this number to the person who runs this assistant. Once they have agreed, make the very same call again.',
    terminal:
      'This call waits as approval {id} until {until}, and no key is enrolled that a person could approve it with. ' +
      'The person runs `sallyport keys add passphrase` in a terminal of their own, then `sallyport approvals approve {id}`. ' +
      'Then make the very same call again.',
    recourse: 'none',
  },
  SP_APPROVAL_DENIED: {
    chat: '{by} has refused this (approval {id}): {reason}. Do not try it again; go on without it.',
    terminal:
      '{by} has refused this call (approval {id}): {reason}. Do not make it again. Go on without it, or say why it is needed.',
    recourse: 'none',
  },
  SP_APPROVAL_FULL: {
    chat:
      '{limit} questions of this conversation wait for an answer already, so no more are asked. ' +
      'Wait until the person who runs this assistant has answered them.',
    terminal:
      'This session waits for the answers to {limit} approvals already, so no further call was put to anybody. ' +
      'Wait until a person has answered them; `sallyport approvals ls` lists them.',
    recourse: 'none',
  },
  SP_APPROVAL_MORE: {
    chat: 'This asks for more than what a person agreed to (approval {id}). Ask for exactly what is meant.',
    terminal:
      'The call asks for more than approval {id} covers. Make the call with the arguments that are meant; a person is then asked about those.',
    recourse: 'none',
  },
  SP_APPROVAL_CHANGED: {
    chat: 'What this would run has changed since a person was asked about it (approval {id}). Ask for it again.',
    terminal:
      'What the call would run has changed since approval {id} was asked for. Make the call again; a person is then asked about what it runs now.',
    recourse: 'none',
  },
  SP_APPROVAL_STORE: {
    chat: 'It could not be looked up whether a person has agreed to this, {refused}.',
    terminal: `The approval of this call could not be read or kept, {refused}. Free disk space; ${DOCTOR}`,
    recourse: 'again',
  },
  // What the page of approvals says; whoever has it open has opened it from a terminal.
  SP_APPROVER: {
    chat: 'You cannot answer this here.',
    terminal:
      'This page has been closed, or is not yours. Run `sallyport approvals open` in a terminal to open it anew.',
    recourse: 'tell',
  },
  SP_APPROVAL_UNKNOWN: {
    chat: 'There is no approval {id} any more.',
    terminal: 'There is no approval {id} any more. Nothing was changed.',
    recourse: 'none',
  },
  SP_APPROVAL_SETTLED: {
    chat: 'Approval {id} is settled already.',
    terminal:
      'Approval {id} is settled already ({state}). Nothing was changed; if the agent asks again, so will this page.',
    recourse: 'none',
  },
  SP_APPROVAL_INPUT: {
    chat: 'The answer could not be taken. Answer again.',
    terminal: 'The answer could not be taken: {detail}. Nothing was changed; answer again.',
    recourse: 'none',
  },
  SP_NO_KEY: {
    chat: 'Nobody is set up to agree to this yet.',
    terminal:
      'No key is enrolled yet, so nothing can be approved. Run `sallyport keys add passkey` in a terminal, once.',
    recourse: 'tell',
  },
  SP_SIGNATURE: {
    chat: 'The answer was not signed by somebody who may give it.',
    terminal:
      'The signature does not count: {why}. Nothing was changed. Sign again; `sallyport keys ls` lists the keys that count.',
    recourse: 'tell',
  },
  SP_OPENCLAW_UNDECIDED: { chat: UNCHECKED, terminal: `${UNCHECKED} ${AGAIN}`, recourse: 'again' },
  SP_OPENCLAW_CLOSED: {
    chat: 'Part of what this assistant does cannot be checked any more, so it has stopped.',
    terminal:
      'OpenClaw has changed, and part of what it does cannot be checked any more, so it has stopped. ' +
      '`openclaw sallyport doctor` says what to do.',
    recourse: 'tell',
  },
  SP_OPENCLAW_SETTING: { chat: NOT_SET_UP, terminal: `${NOT_SET_UP} ${DOCTOR}`, recourse: 'tell' },
  SP_OPENCLAW_KEY: { chat: NOT_SET_UP, terminal: `${NOT_SET_UP} ${DOCTOR}`, recourse: 'tell' },
  SP_OPENCLAW_CONFLICT: { chat: NOT_SET_UP, terminal: `${NOT_SET_UP} ${DOCTOR}`, recourse: 'tell' },
} as const satisfies Readonly<Record<string, Words>>
