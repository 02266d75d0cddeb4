/** The page on which a person answers approvals with a passkey. Speaks to its own server only. */

const API = '/v1/approvals'
const LOOK_EVERY_MS = 3_000

const main = document.getElementById('main')
const statusLine = document.getElementById('status')

const say = (text, bad = false) => {
  statusLine.textContent = text
  statusLine.className = bad ? 'bad' : ''
}

/** An element with text only: nothing that an agent wrote becomes markup. */
const make = (tag, text = '', more = {}) => Object.assign(document.createElement(tag), { textContent: text }, more)

/** Characters that cannot be seen, or that turn the direction of text, as their escapes. */
const visible = (text) =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|[^\S\n ]/gu, (char) =>
    char === '\n' ? char : `\\u{${char.codePointAt(0).toString(16)}}`,
  )

const request = async (path, body) => {
  const response = await fetch(`${API}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
    credentials: 'same-origin',
    cache: 'no-store',
  })
  const value = await response.json()
  if (!response.ok)
    throw new Error(value.error?.say ?? value.error?.message ?? `The guard could not answer (${response.status}).`)
  return value
}

const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))

const textOf = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** Has the person sign a challenge with one of these passkeys. */
const signWith = async (challenge, passkeys) => {
  const credential = await navigator.credentials.get({
    publicKey: {
      challenge: bytesOf(challenge),
      rpId: 'localhost',
      allowCredentials: passkeys.map(({ credential: id }) => ({ type: 'public-key', id: bytesOf(id) })),
      userVerification: 'required',
      timeout: 120_000,
    },
  })
  const { authenticatorData, clientDataJSON, signature } = credential.response
  const used = passkeys.find(({ credential: id }) => id === credential.id)
  return {
    kind: 'passkey',
    key: used?.id ?? '',
    authenticatorData: textOf(authenticatorData),
    clientDataJson: textOf(clientDataJSON),
    signature: textOf(signature),
  }
}

const said = (error) => {
  // A fetch that reaches nobody throws a TypeError, in words of the browser's.
  const text =
    error instanceof TypeError
      ? 'The guard does not answer. Run `sallyport doctor` in a terminal to see what is wrong.'
      : error instanceof Error
        ? error.message
        : String(error)
  say(error?.name === 'NotAllowedError' ? 'Nothing was signed: the passkey was not used.' : text, true)
}

const rows = (pairs) => {
  const list = make('dl')
  for (const [name, text] of pairs) if (text !== '') list.append(make('dt', name), make('dd', visible(text)))
  return list
}

const quoted = (name, value) => [
  make('h3', visible(name)),
  make('pre', visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2))),
]

const leftOf = (until) => `${Math.max(0, Math.ceil((until - Date.now()) / 60_000))} min left`

/** Who answers, as this browser remembers it. */
const nameOf = () => localStorage.getItem('name') ?? ''

const answer = async (approval, given, passkeys) => {
  const by = given.by.trim()
  localStorage.setItem('name', by)
  if (given.answer === 'deny') return request(`/${approval.id}`, { answer: 'deny', by, reason: given.reason })
  const more = given.minutes === undefined ? {} : { forMinutes: given.minutes }
  const { statement, challenge } = await request(`/${approval.id}/statement`, { by, reason: given.reason, ...more })
  say('Use your passkey…')
  const signature = await signWith(challenge, passkeys)
  return request(`/${approval.id}`, { answer: 'approve', statement, signature })
}

const answerForm = (approval, passkeys) => {
  const form = make('form')
  const by = make('input', '', {
    name: 'by',
    placeholder: 'Your name',
    required: true,
    value: nameOf(),
    maxLength: 100,
  })
  const reason = make('input', '', { name: 'reason', placeholder: 'Reason (for the record)', maxLength: 1000 })
  by.setAttribute('aria-label', 'Your name')
  reason.setAttribute('aria-label', 'Reason')
  const button = (text, kind, value) => make('button', text, { type: 'submit', className: kind, value })
  const buttons = [
    button('Approve once', 'main', 'approve'),
    button('Approve for 30 min', '', 'time'),
    button('Deny', '', 'deny'),
  ]
  for (const one of buttons) if (one.value !== 'deny') one.disabled = passkeys.length === 0
  form.append(by, reason, ...buttons)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const { value } = event.submitter ?? buttons[2]
    const given = { answer: value === 'deny' ? 'deny' : 'approve', by: by.value, reason: reason.value }
    for (const one of buttons) one.disabled = true
    const give = async () => {
      try {
        await answer(approval, value === 'time' ? { ...given, minutes: 30 } : given, passkeys)
        await show()
        say(given.answer === 'deny' ? 'Denied.' : 'Approved: the agent can make the call again.')
      } catch (error) {
        for (const one of buttons) one.disabled = one.value !== 'deny' && passkeys.length === 0
        said(error)
      }
    }
    void give()
  })
  return form
}

const card = (approval, passkeys) => {
  const article = make('article')
  article.id = approval.id
  const title = make('h2', visible(`${approval.tool} `))
  title.append(make('span', `${approval.id} · ${leftOf(approval.expiresAt)}`))
  article.append(title)
  const { input } = approval.call
  const shown = typeof input === 'object' && input !== null ? Object.entries(input) : [['call', approval.call]]
  for (const [name, value] of shown) article.append(...quoted(name, value))
  if ((approval.cut ?? []).length > 0)
    article.append(
      make('p', `Cut: not all of ${approval.cut.join(', ')} is shown, and all of it runs.`, { className: 'warn' }),
    )
  if ((approval.masked ?? []).length > 0)
    article.append(
      make('p', `Masked at ${approval.masked.join(', ')}: the call runs with what stands there.`, {
        className: 'warn',
      }),
    )
  article.append(
    rows([
      ['Why', `${approval.reason} [${approval.rules.join(', ')}]`],
      ['In', approval.cwd ?? ''],
      ['Agent', `${approval.agent} of ${approval.host}, session ${approval.session}`],
    ]),
    answerForm(approval, passkeys),
  )
  return article
}

let listed = ''

/** Shows what waits; what a person is writing stays while nothing has changed. */
const show = async () => {
  const [{ approvals, total }, { passkeys }] = await Promise.all([request('?state=pending'), request('/passkeys')])
  const now = JSON.stringify([approvals.map(({ id }) => id), passkeys])
  say(
    total === 0
      ? 'No approvals are pending.'
      : total === 1
        ? '1 approval is pending'
        : `${total} approvals are pending`,
  )
  if (now === listed) return
  listed = now
  const hint =
    passkeys.length === 0
      ? [
          make('p', 'No passkey is enrolled. A person enrols one with `sallyport keys add passkey` in a terminal.', {
            className: 'warn',
          }),
        ]
      : []
  main.replaceChildren(...hint, ...approvals.map((one) => card(one, passkeys)))
}

/** Makes a passkey for the terminal that asked. */
const create = async ({ name, challenge }) => {
  const credential = await navigator.credentials.create({
    publicKey: {
      challenge: bytesOf(challenge),
      rp: { id: 'localhost', name: 'Sallyport' },
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      attestation: 'none',
      timeout: 120_000,
    },
  })
  return {
    credential: credential.id,
    spki: textOf(credential.response.getPublicKey()),
    algorithm: credential.response.getPublicKeyAlgorithm(),
    origin: location.origin,
  }
}

/** One thing that a terminal asked for: done with a click, since browsers want one. */
const task = (title, lines, verb, work) => {
  const article = make('article')
  article.append(make('h2', title), ...lines)
  const form = make('form')
  const button = make('button', verb, { type: 'submit', className: 'main' })
  form.append(button)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    button.disabled = true
    say('Use your passkey…')
    const run = async () => {
      try {
        await request('/page/result', { result: await work() })
        main.replaceChildren()
        say('Done. Go back to the terminal.')
      } catch (error) {
        button.disabled = false
        said(error)
      }
    }
    void run()
  })
  article.append(form)
  main.replaceChildren(article)
}

const begin = async () => {
  const code = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  const { want } = code === '' ? { want: { kind: 'list' } } : await request('/session', { code })
  if (want.kind === 'create') {
    say('A terminal asks for a new passkey')
    task(
      'New passkey',
      [
        make(
          'p',
          visible(`It will be called “${want.name}” and can sign approvals once the terminal has enrolled it.`),
        ),
      ],
      'Make the passkey',
      () => create(want),
    )
    return
  }
  if (want.kind === 'sign') {
    say('A terminal asks for a signature')
    const { by, reason, nonce: _nonce, at: _at, guard: _guard, ...statement } = want.statement
    const lines = [
      rows([
        ['By', by],
        ['Reason', reason],
      ]),
      ...quoted('What is signed', statement),
    ]
    task('Sign', lines, 'Sign with passkey', () => signWith(want.challenge, want.passkeys))
    return
  }
  await show()
  setInterval(() => show().catch(said), LOOK_EVERY_MS)
}

begin().catch((error) => {
  said(error)
  main.replaceChildren(make('p', 'Run `sallyport approvals open` in a terminal, and open the address that it prints.'))
})
