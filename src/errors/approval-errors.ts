/** Errors of approvals, and of the keys and signatures they need. */
export const APPROVAL_ERRORS = {
  SP_APPROVAL_ASKED: {
    message: 'The host asks its user about this call (approval {id}).',
    advice:
      'If the host does not ask, a person can sign it with `sallyport approvals approve {id}`; then make exactly the same call again.',
  },
  SP_APPROVAL_ASKED_KEYLESS: {
    message: 'The host asks its user about this call (approval {id}).',
    advice:
      'If the host does not ask, a person has to enrol a key first: `sallyport keys add passphrase` in a terminal.',
  },
  SP_APPROVAL_PENDING: {
    message: 'This call needs the approval of a person: approval {id}, open until {until}.',
    advice:
      'The person runs `sallyport approvals approve {id}` (or `deny`) in their own terminal and signs it. Wait for that, then make exactly the same call again. Only a person can answer.',
  },
  SP_APPROVAL_KEYLESS: {
    message:
      'This call needs the approval of a person (approval {id}, open until {until}), and no key is enrolled to sign it with.',
    advice:
      'Ask the person to run `sallyport keys add passphrase` in their own terminal, then `sallyport approvals approve {id}`. Then make exactly the same call again.',
  },
  SP_APPROVAL_DENIED: {
    message: '{by} refused this call (approval {id}): {reason}.',
    advice: 'Do not repeat it. Continue without it, or explain to the person why it is needed.',
  },
  SP_APPROVAL_FULL: {
    message: 'This session already has {limit} pending approvals, so no approval was requested for this call.',
    advice: 'Wait until a person has answered them; `sallyport approvals ls` lists them.',
  },
  SP_APPROVAL_MORE: {
    message: 'The call asks for more than approval {id} covers.',
    advice: 'Make the call with the intended arguments; a person is then asked about those.',
  },
  SP_APPROVAL_CHANGED: {
    message: 'What the call would run has changed since approval {id} was requested.',
    advice: 'Make the call again; a person is then asked about what it runs now.',
  },
  SP_APPROVAL_STORE: {
    message: 'The approval of this call could not be read or stored.',
    advice:
      'The call was refused; the log of the guard has the details. Free disk space or fix the permissions of its folder.',
  },
  SP_APPROVAL_UNKNOWN: {
    message: 'There is no approval "{id}".',
    advice: '`sallyport approvals ls --all` lists all approvals.',
  },
  SP_APPROVAL_SETTLED: {
    message: 'Approval {id} is already settled: {state}.',
    advice: 'Nothing was changed. If the agent makes the call again, a new approval is requested.',
  },
  SP_APPROVAL_INPUT: {
    message: 'The answer is invalid: {detail}.',
    advice: 'Nothing was changed. docs/approvals.md describes what an answer may contain.',
  },
  SP_APPROVER: {
    message: 'The caller may not read approvals: it sent neither the approver token nor the cookie of the page.',
    advice: 'Run `sallyport approvals open`, or send the token from the file `approver-token` in the data folder.',
  },
  SP_APPROVAL_UNSIGNED: {
    message: 'The grant of approval {id} was rejected: {why}.',
    advice:
      'If a person granted it, they can sign it with `sallyport approvals approve`. If nobody did, find out who wrote to approvals.db.',
  },
  SP_NO_KEY: {
    message: 'No key is enrolled, so no approval can be signed.',
    advice:
      'A person has to enrol one, once, with `sallyport keys add passphrase` in a terminal. Until then, only the prompt of ' +
      'the host can approve.',
  },
  SP_SIGNATURE: {
    message: 'The signature was rejected: {why}.',
    advice: 'Nothing was changed. Sign again with a key that `sallyport keys ls` lists.',
  },
  SP_SIGN_TERMINAL: {
    message: 'A passphrase is read only from a terminal, and there is none here.',
    advice:
      'Run the command in your own terminal. A passphrase is never read from an argument, a variable, a pipe or a file.',
  },
  SP_SIGN_FAILED: {
    message: 'Nothing was signed: {why}.',
    advice: 'Try again, or sign with another key (--key NAME); `sallyport keys ls` lists them.',
  },
  SP_KEY_ENTRY: {
    message: 'The keys were not changed: {why}.',
    advice: '`sallyport keys ls` lists the enrolled keys.',
  },
  SP_KEYS_CHANGED: {
    message: 'The key file was rejected: {why}.',
    advice:
      'Restore keys.json in the data folder. If it is lost, move the data folder away and enrol new keys; docs/approvals.md describes how.',
  },
  SP_RULE_UNSIGNED: {
    message: 'The switch that disables rule {rule} was rejected: {why}.',
    advice: 'The rule stays in force. A person can disable it with `sallyport policy disable`, which signs the switch.',
  },
  SP_OVERRIDE: {
    message: 'Event {seq} of session {session} cannot be overridden: {why}.',
    advice: '`sallyport trace show {session}` lists its events with their numbers.',
  },
  SP_RULE_DISABLE: {
    message: 'Rule {rule} cannot be disabled: {why}.',
    advice:
      '`sallyport policy show` lists the rules in force; docs/approvals.md describes which of them can be disabled.',
  },
  SP_APPROVAL_AGENT: {
    message: 'This shell belongs to an agent ({sign} is set), and an agent cannot answer for a person.',
    advice: 'Open your own terminal and run the command there.',
  },
} as const
