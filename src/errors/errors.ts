/**
 * Every error Sallyport reports, by its stable code: a message template and what to do next.
 * docs/errors.md is held against this table by test/errors.test.ts. `{name}` stands for a detail given by the caller.
 */
export const ERRORS = {
  SP_INPUT_NOT_JSON: {
    message: 'The request body is not JSON: {detail}.',
    advice: 'Send one UTF-8 JSON object. If a host sent this, run `sallyport doctor` to see which client it is.',
  },
  SP_INPUT_TOO_LARGE: {
    message: 'The request body is larger than {limit} bytes.',
    advice: 'Raise `server.maxBodyBytes` in sallyport.yaml, or have the agent work in smaller pieces.',
  },
  SP_INPUT_TOO_DEEP: {
    message: 'The request body nests deeper than {limit} levels.',
    advice: 'Send flatter JSON; no host nests this deep.',
  },
  SP_INPUT_TOO_MANY: {
    message: 'The request body holds more than {limit} values.',
    advice: 'Send long lists as one text, or have the agent work in smaller pieces.',
  },
  SP_INPUT_FIELD: {
    message: 'Field {pointer} of the {event} event must be {expected}.',
    advice: 'The host may be newer than this Sallyport: run `sallyport doctor`, then update Sallyport.',
  },
  SP_INPUT_LINE: {
    message: 'Line {line}: {detail}.',
    advice: 'docs/measure.md says what a line holds; all other lines were answered.',
  },
  SP_EVENT_UNKNOWN: {
    message: 'The host sent an event that Sallyport does not know: {event}.',
    advice: 'Update Sallyport; until then steps of this event are refused.',
  },
  SP_UNAUTHORIZED: {
    message: 'The caller did not show the token of this guard.',
    advice:
      'Send `Authorization: Bearer` with what the file `token` in its data folder holds; for a host, run `sallyport install` again.',
  },
  SP_HOST: {
    message: 'The request was sent to the name {host}, by which this guard is not reached.',
    advice: 'Use the address of the guard or `localhost`, or add the name to `server.names` in sallyport.yaml.',
  },
  SP_ORIGIN: {
    message: 'The request comes from a page of another place: {origin}.',
    advice: 'No page of another site or port may reach the guard; close it if you do not know it.',
  },
  SP_NOT_FOUND: {
    message: 'There is nothing at {path}.',
    advice: 'docs/wire.md lists the endpoints.',
  },
  SP_METHOD: {
    message: '{path} does not answer {method}.',
    advice: 'Use {allowed}.',
  },
  SP_RPC_INVALID: {
    message: 'The JSON-RPC call is not sound: {detail}.',
    advice: 'docs/wire.md shows a call of each method.',
  },
  SP_RPC_METHOD: {
    message: 'There is no method {method}.',
    advice: 'docs/wire.md lists the methods of AOS 0.1.0 and ACS 0.1.0.',
  },
  SP_RPC_PARAMS: {
    message: 'The params of {method} do not hold: {detail}.',
    advice: 'The step must not happen: nobody has decided on it. docs/wire.md shows the params of each method.',
  },
  SP_RPC_DIALECT: {
    message: 'The address asks for a dialect of AOS that there is none of.',
    advice: 'Use `?dialect=` with one of {known}, or leave it out.',
  },
  SP_ACS_SIGNATURE: {
    message: 'The signature of the ACS request is missing or does not cover it.',
    advice:
      'Sign with HMAC-SHA256 and the key of the session, made from the secret that this guard has (docs/hosts/acs.md).',
  },
  SP_ACS_REPLAY: {
    message: 'An ACS request with this request_id or nonce was already answered in this session.',
    advice: 'Make a new request_id, and a new nonce, for each request.',
  },
  SP_ACS_TIMESTAMP: {
    message: 'The timestamp of the ACS request is more than {ms} ms away from the clock of this guard.',
    advice: 'Set the clocks right, then send the request anew.',
  },
  SP_ACS_VERSION: {
    message: 'The caller speaks no version of ACS that this guard speaks.',
    advice: 'Use {version}.',
  },
  SP_ACS_NOT_NEGOTIATED: {
    message: 'This ACS session has had no handshake.',
    advice: 'Send handshake/hello before the first step of a session.',
  },
  SP_ACS_CHAIN: {
    message: 'The chain_hash of the caller is no head that this session has had.',
    advice: 'One side has lost or changed an entry: compare with `sallyport trace verify`, then begin a new session.',
  },
  SP_RPC_CONTENT_TYPE: {
    message: 'The request does not say that its body is JSON.',
    advice: 'Send it with `Content-Type: application/json`.',
  },
  SP_GUARDIAN_TIMEOUT: {
    message: 'Guardian {guardian} gave no verdict within {ms} ms.',
    advice: 'Try again; if it goes on, see `sallyport doctor` and the deadline of this guardian in sallyport.yaml.',
  },
  SP_GUARDIAN_UNREACHABLE: {
    message: 'Guardian {guardian} could not be reached: {detail}.',
    advice: 'Start it, or take it out of sallyport.yaml.',
  },
  SP_GUARDIAN_INVALID: {
    message: 'Guardian {guardian} answered something that is no opinion: {detail}.',
    advice: 'Update the guardian, or take it out of sallyport.yaml.',
  },
  SP_BUDGET_EXHAUSTED: {
    message: 'The call is too large or too deeply nested to be analysed within the work budget ({detail}).',
    advice: 'Split it into smaller steps, so that each can be seen for what it does.',
  },
  SP_TOO_COSTLY: {
    message: 'Looking at this step took more than {limit} ms of computing, and was ended.',
    advice:
      'Split it into smaller steps: fewer commands in one call, smaller results. `budget.computingMs` in sallyport.yaml allows more time.',
  },
  SP_ANALYSIS_FAILED: {
    message: 'The call could not be analysed: {detail}.',
    advice: 'This is a fault of Sallyport. Report it with the output of `sallyport doctor`.',
  },
  SP_NO_OPINION: {
    message: 'No guardian gave an opinion on this {kind}.',
    advice: 'Configure a guardian that handles this kind of step; the policy guardian handles all of them.',
  },
  SP_EDIT_INVALID: {
    message: 'A guardian asked for an edit that does not fit the step: {detail}.',
    advice: 'The step was refused. Fix or remove the guardian that asked for the edit.',
  },
  SP_EDIT_UNSTABLE: {
    message: 'The step still needed changing after it had been changed.',
    advice: 'Two guardians undo each other. Change their rules so that one edit satisfies both.',
  },
  SP_LABELS_UNAVAILABLE: {
    message: 'What a session has touched could not be kept: {detail}.',
    advice: 'Nothing runs without it. Free disk space or fix the rights of {path}, then try again.',
  },
  SP_LABELS_LOST: {
    message: 'What {session} had touched before is not known: {why}.',
    advice: 'The worst is assumed: texts from outside, and secrets. A new session begins without that.',
  },
  SP_TURNS_UNREAD: {
    message: 'The model calls in {path} are not recorded: {why}.',
    advice:
      'The host does not write such a file there: look who put it there. Calls of tools are judged and recorded as ever.',
  },
  SP_STORE_UNAVAILABLE: {
    message: 'The trace could not be written: {detail}.',
    advice: 'Nothing runs without its record. Free disk space or fix the rights of {path}, then try again.',
  },
  SP_STORE_CLOSED: {
    message: 'The trace store is closed.',
    advice: 'The guard is stopping. Start it again with `sallyport serve`.',
  },
  SP_STORE_VERSION: {
    message: 'The trace at {path} was written by a newer Sallyport (schema {found}, this one knows {known}).',
    advice: 'Update Sallyport, or start with another --data folder.',
  },
  SP_STORE_MISSING: {
    message: 'There is no trace at {path}.',
    advice: 'A guard writes it with its first event. If yours keeps it elsewhere, give that folder with --data.',
  },
  SP_STORE_CORRUPT: {
    message: 'Event {seq} of session {session} cannot be read: it was changed after it was written.',
    advice: 'Run `sallyport trace verify` to see all that was changed.',
  },
  SP_TRACE_BROKEN: {
    message: 'The trace is not what the guard wrote: {detail}. Nothing was decided on it.',
    advice: 'Run `sallyport trace verify` to see all that was changed, and find out who could write the trace.',
  },
  SP_APPROVAL_ASKED: {
    message: 'The host asks its own person about this call (approval {id}).',
    advice:
      'Where nobody is asked, a person signs it with `sallyport approvals approve {id}`; then make the very same call again.',
  },
  SP_APPROVAL_ASKED_KEYLESS: {
    message: 'The host asks its own person about this call (approval {id}).',
    advice: 'Where nobody is asked, a person has to enrol a key first: `sallyport keys add passphrase` in a terminal.',
  },
  SP_APPROVAL_PENDING: {
    message: 'This call waits as approval {id} for a person to answer, until {until}.',
    advice:
      'They run `sallyport approvals approve {id}` in a terminal of their own and sign it, or `deny`. Wait for that, then make the very same call again; nobody but a person can answer.',
  },
  SP_APPROVAL_KEYLESS: {
    message:
      'This call waits as approval {id} until {until}, and no key is enrolled that a person could approve it with.',
    advice:
      'Tell the person to run `sallyport keys add passphrase` in a terminal of their own, then `sallyport approvals approve {id}`. Then make the very same call again.',
  },
  SP_APPROVAL_DENIED: {
    message: '{by} has refused this call (approval {id}): {reason}.',
    advice: 'Do not make it again. Go on without it, or tell the person why it is needed.',
  },
  SP_APPROVAL_FULL: {
    message:
      'This session waits for the answers to {limit} approvals already, so that no further call was put to anybody.',
    advice: 'Wait until a person has answered them; `sallyport approvals ls` lists them.',
  },
  SP_APPROVAL_MORE: {
    message: 'The call asks for more than approval {id} covers.',
    advice: 'Make the call with the arguments that are meant; a person is then asked about those.',
  },
  SP_APPROVAL_CHANGED: {
    message: 'What the call would run has changed since approval {id} was asked for.',
    advice: 'Make the call again; a person is then asked about what it runs now.',
  },
  SP_APPROVAL_STORE: {
    message: 'The approval of this call could not be read or kept.',
    advice:
      'The call was refused. The log of the guard has the details; free disk space or fix the rights of its folder.',
  },
  SP_APPROVAL_UNKNOWN: {
    message: 'There is no approval "{id}".',
    advice: '`sallyport approvals ls --all` lists them.',
  },
  SP_APPROVAL_SETTLED: {
    message: 'Approval {id} is settled already: {state}.',
    advice: 'Nothing was changed. If the agent makes the call again, it is asked about anew.',
  },
  SP_APPROVAL_INPUT: {
    message: 'The answer cannot be taken: {detail}.',
    advice: 'Nothing was changed. docs/approvals.md says what an answer may hold.',
  },
  SP_APPROVER: {
    message: 'The caller may not read approvals: it showed neither the approvers’ token nor the cookie of the page.',
    advice: 'Run `sallyport approvals open`, or send the token in the file `approver-token` of the data folder.',
  },
  SP_APPROVAL_UNSIGNED: {
    message: 'The grant of approval {id} is not honoured: {why}.',
    advice:
      'If a person gave it, let them sign it with `sallyport approvals approve`. If nobody did, look who wrote the file approvals.db.',
  },
  SP_NO_KEY: {
    message: 'No key is enrolled, so nothing can be approved by signature.',
    advice:
      'A person enrols one in a terminal with `sallyport keys add passphrase`, once. Until then only the question of the host itself counts.',
  },
  SP_SIGNATURE: {
    message: 'The signature does not count: {why}.',
    advice: 'Nothing was changed. Sign again with a key that `sallyport keys ls` lists.',
  },
  SP_SIGN_TERMINAL: {
    message: 'A passphrase is read from a terminal only, and there is none here.',
    advice:
      'Run the command in a terminal of your own. A passphrase is never taken from an argument, a variable, a pipe or a file.',
  },
  SP_SIGN_FAILED: {
    message: 'Nothing was signed: {why}.',
    advice: 'Try again, or sign with another key (--key NAME); `sallyport keys ls` lists them.',
  },
  SP_KEY_ENTRY: {
    message: 'The keys were not changed: {why}.',
    advice: '`sallyport keys ls` lists what is enrolled.',
  },
  SP_KEYS_CHANGED: {
    message: 'The file of keys is not honoured: {why}.',
    advice:
      'Put keys.json of the data folder back as it was. If it is lost, move the data folder away and enrol keys anew; docs/approvals.md tells how.',
  },
  SP_RULE_UNSIGNED: {
    message: 'The switch that disables rule {rule} is not honoured: {why}.',
    advice: 'The rule is in force. A person signs the switch with `sallyport policy disable`.',
  },
  SP_OVERRIDE: {
    message: 'Event {seq} of session {session} cannot be overridden: {why}.',
    advice: '`sallyport trace show {session}` shows its events with their numbers.',
  },
  SP_RULE_DISABLE: {
    message: 'Rule {rule} cannot be disabled: {why}.',
    advice: '`sallyport policy show` lists the rules in force; docs/approvals.md says which can be.',
  },
  SP_APPROVAL_AGENT: {
    message: 'This shell belongs to an agent ({sign} is set), and an agent cannot answer for a person.',
    advice: 'Open a terminal of your own and run the command there.',
  },
  SP_GUARD_FAILED: {
    message: 'The guard failed on this step: {detail}.',
    advice: 'The step was refused. Report it with the output of `sallyport doctor`.',
  },
  SP_ADDRESS_IN_USE: {
    message: 'Something else answers at {where}.',
    advice: 'If that is a guard already running, use it; else start with another --port or --data.',
  },
  SP_TLS_REQUIRED: {
    message: 'Hooks of this host are taken by TLS only: a plain connection does not prove that it reached the guard.',
    advice: 'Run `sallyport install claude-code` in a terminal, then start the client again.',
  },
  SP_ANSWER_REPEATED: {
    message: 'This answer was refused a moment ago and is not shown again. {reason}',
    advice: 'Ask for something else, or in another way.',
  },
  SP_SESSION_FORGED: {
    message:
      'This event was sent by {by}, and not by the client whose session it is (process {pid}). It is not believed, and changes nothing.',
    advice:
      'Look at what the agent ran just before. If you run the client in an unusual way, see `server.bindSessions` in docs/hosts/claude-code.md.',
  },
  SP_SESSION_ELSEWHERE: {
    message: 'This session is open in another client (process {pid}).',
    advice: 'Close that one first, or resume with `--fork-session`.',
  },
  SP_SESSION_HOST: {
    message: 'This session belongs to the host {host}: another host cannot send events of it.',
    advice: 'Use a session id of your own.',
  },
  SP_SESSION_PROCESS: {
    message: 'The process that sent this event cannot be seen, and `server.bindSessions` is `required`.',
    advice: 'Run guard and client as the same user and in the same container, or set it to `where-possible`.',
  },
  SP_TLS_IDENTITY: {
    message: 'The certificate that the guard shows cannot be used: {file}.',
    advice:
      'Look at who changed it. To make a new one, remove the file, run `sallyport install claude-code`, and start every client again.',
  },
  SP_GUARD_UNREACHABLE: {
    message: 'The guard could not be reached or started: {detail}.',
    advice: 'Ask the person to run `sallyport doctor` in a terminal. Nothing runs until the guard answers.',
  },
  SP_GUARD_SILENT: {
    message: 'The guard takes connections and does not answer (its process is {process}). Nothing runs until it does.',
    advice:
      'Send this again in some seconds. If it stays so, run `sallyport doctor claude-code` in a terminal: it names the process to end.',
  },
  SP_SERVICE_DOWN: {
    message: 'The guard of this machine does not answer. Nothing runs until it does, and no hook can start it.',
    advice: 'Ask the person to run `{service}` in a terminal; an administrator starts it again.',
  },
  SP_SYSTEM_ROOT: {
    message: '`sallyport {command} --system` makes or removes a user, a service and files of root: it needs root.',
    advice: 'Run it with sudo. `--dry-run` shows what it would do, and needs no rights.',
  },
  SP_SYSTEM_UNSUPPORTED: {
    message: 'The guard cannot be made a service here: {detail}.',
    advice: '`--root DIR` writes the files elsewhere; docs/boundaries.md says what then has to be done by hand.',
  },
  SP_SYSTEM_USER: {
    message: 'The user whose agents are to be guarded cannot be {user}: {detail}.',
    advice: 'Name an ordinary user of this machine with --user.',
  },
  SP_SYSTEM_WRITABLE: {
    message: '{path} can be changed by others than root ({why}), and with it what the service executes.',
    advice: 'Give it to root (`chown root`, `chmod go-w`), then run this again. Nothing was changed.',
  },
  SP_SYSTEM_BESIDE: {
    message: '{path} holds the hooks of a guard that runs as {user}; two guards cannot have one client.',
    advice: 'Run `sallyport uninstall claude-code` as {user}, end that guard, then run this again.',
  },
  SP_SYSTEM_COMMAND: {
    message: '`{command}` failed: {detail}.',
    advice: 'Fix the cause and run the same again: what is done already is done once more.',
  },
  SP_SYSTEM_ABSENT: {
    message: 'No guard is installed for this machine: {path} is not there.',
    advice: '`sallyport install --system` makes one.',
  },
  SP_CONFIG_KEY: {
    message: '{place}: unknown key {key}.',
    advice: '{nearest}',
  },
  SP_CONFIG_VALUE: {
    message: '{place}: {key} must be {expected}.',
    advice: 'docs/config.md lists every key with its values.',
  },
  SP_CONFIG_SYNTAX: {
    message: '{place}: this is not YAML: {detail}.',
    advice: 'Fix the file; the guard keeps the last good configuration until then, or does not start without one.',
  },
  SP_SETTINGS_BROKEN: {
    message: '{place}: {detail}.',
    advice: 'Nothing was changed. Fix the file, then run the command again; the host itself may ignore a broken one.',
  },
  SP_OPENCLAW_CONFIG: {
    message: '{path}: {detail}.',
    advice: 'Nothing was changed. {remedy}',
  },
  SP_OPENCLAW_KEY: {
    message: 'The plugin for OpenClaw has no setting {key}.',
    advice:
      'Did you mean {nearest}? There are: {known}. They lie in openclaw.json under plugins.entries.sallyport.config.',
  },
  SP_OPENCLAW_SETTING: {
    message: 'The setting {key} of the plugin for OpenClaw must be {expected}.',
    advice:
      'Change it in openclaw.json under plugins.entries.sallyport.config; docs/hosts/openclaw-config.md lists all.',
  },
  SP_OPENCLAW_CONFLICT: {
    message: 'The settings {one} and {other} of the plugin for OpenClaw contradict each other: {why}.',
    advice: '{remedy}; they lie in openclaw.json under plugins.entries.sallyport.config.',
  },
  SP_OPENCLAW_UNDECIDED: {
    message: 'No verdict could be had on this step ({hook}): {why}.',
    advice: 'It does not happen. Look at the log of the OpenClaw gateway, and run `openclaw sallyport doctor`.',
  },
  SP_OPENCLAW_SEAM: {
    message: 'OpenClaw {version} is not what it was at the seam {seam} ({of}): {what}.',
    advice:
      'Run `sallyport doctor openclaw`, and update Sallyport or go back to OpenClaw {tested}. Where a protection cannot ' +
      'be kept without it, no run and no tool call happens until then; with its mode off they do, unguarded.',
  },
  SP_OPENCLAW_CLOSED: {
    message: 'OpenClaw has changed at a place where the guard stands ({seam}): nothing goes through there.',
    advice: 'Whoever runs this gateway finds what to do in its log, and by `openclaw sallyport doctor`.',
  },
  SP_POLICY_INVALID: {
    message: 'The policies cannot be used: {detail}',
    advice: 'Run `sallyport policy check`; the guard does not start with policies that nobody meant.',
  },
  SP_GUARD_CHANGED: {
    message: '{what} changed and no person accepted it ({path}): {findings}.',
    advice:
      'No step of the sessions that it concerns is allowed until the change is put back or accepted. Run `sallyport changes` ' +
      'in a terminal of your own: it shows the change; `sallyport changes revert` puts it back, `sallyport changes accept` accepts it.',
  },
  SP_RELOAD_REFUSED: {
    message: 'The changed settings are not loaded into the running session: {path}.',
    advice:
      'The next session loads them. A session loads settings only after `sallyport install`, or when a person accepted the change.',
  },
  SP_SETTINGS_WEAK: {
    message: 'The settings of this session let steps pass the guard, or load programs before it: {findings}.',
    advice: 'Run `sallyport doctor` in the folder of the session before you work there.',
  },
  SP_REFUSED_CALL_RAN: {
    message:
      'A call that was refused has run all the same, so nothing holds the client of session {session}: {findings}.',
    advice:
      'End the client, and look at what it did with `sallyport trace show`. Every step of the session is refused until ' +
      'you run `sallyport changes accept` in a terminal of your own.',
  },
  SP_REPOSITORY_RUNS: {
    message: 'This folder has the client run programs that no call of the agent names ({path}): {findings}.',
    advice:
      'The guard sees nothing of what they do. Look at them, and take out of .claude and .mcp.json what you do not want; this is ' +
      'told once for each.',
  },
  SP_ACCEPTED_UNAVAILABLE: {
    message: 'The record of accepted files cannot be used ({path}): {detail}.',
    advice:
      'The guard does not start without it. Free disk space or fix its permissions. If the file is damaged, remove it, and run ' +
      '`sallyport doctor` before the next session.',
  },
  SP_ACCEPT_TERMINAL: {
    message: 'Changes are accepted only by a person at a terminal.',
    advice: 'Run `sallyport changes accept` in a terminal of your own; `sallyport changes` only shows the changes.',
  },
  SP_USAGE: {
    message: '{detail}',
    advice: 'Run `sallyport {command} --help`.',
  },
} as const satisfies Record<string, { readonly message: string; readonly advice: string }>

/** A stable error code: stands in answers, logs and traces. */
export type ErrorCode = keyof typeof ERRORS

const fill = (template: string, details: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (whole, name: string) => details[name] ?? whole)

/** One sentence on what happened, then one on what to do next. */
export const describeError = (code: ErrorCode, details: Readonly<Record<string, string>> = {}): string =>
  `${fill(ERRORS[code].message, details)} ${fill(ERRORS[code].advice, details)}`

/** An error with a stable code, for bad set-up and bad input; verdicts are never thrown. */
export class SallyportError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, string>>
  constructor(code: ErrorCode, details: Readonly<Record<string, string>> = {}, options?: ErrorOptions) {
    super(describeError(code, details), options)
    this.name = 'SallyportError'
    this.code = code
    this.details = details
  }
}
