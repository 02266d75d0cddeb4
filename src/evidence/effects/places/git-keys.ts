/** Configuration keys whose value git runs as a program, or that redirect it. */
const CODE_KEY =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|pager|editor|gitproxy|askpass|worktree|attributesfile|excludesfile)|sequence\.editor|alias\..*|pager\..*|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|url\..*\.(?:insteadof|pushinsteadof)|remote\..*\.(?:uploadpack|receivepack|proxy)|http\.(?:.*\.)?(?:proxy|sslverify)|include\.path|includeif\..*\.path|init\.templatedir|uploadpack\.packobjectshook|protocol\..*\.allow|interactive\.difffilter|browser\..*\.cmd|man\..*\.cmd|mergetool\..*\.cmd|difftool\..*\.cmd|sendemail\.(?:.*cmd|smtpserver)|trailer\..*\.(?:command|cmd)|lfs\.customtransfer\..*|tar\..*\.command|imap\.tunnel|submodule\..*\.update|receive\.deny.*)$/i

/** Whether git runs the value of a key as a program, or is redirected by it. */
export const isCodeKey = (key: string): boolean => CODE_KEY.test(key)

const CONFIG_FILE =
  /(?:^|\/)(?:\.git\/(?:config|config\.worktree|modules\/.*\/config)|\.gitconfig|\.config\/git\/config)$|^\/etc\/gitconfig$/i

/** Values of aliases that are git's own commands, and of settings that choose a usual program. */
const PLAIN_VALUE =
  /^"?(?:cat|less|more|vim?|nvim|nano|emacs|code|delta|true|false|store|cache|osxkeychain|manager|libsecret)(?:\s+-[\w-]+(?:=[\w./-]+)?)*"?$/

/** The keys that a text puts into a file of git's settings and whose values run as programs. */
export const codeKeysIn = (path: string, text: string): readonly string[] => {
  if (!CONFIG_FILE.test(path)) return []
  let section = ''
  return text.split('\n').flatMap((line) => {
    const [, name, sub] = /^\s*\[\s*([\w.-]+)(?:\s+"([^"]*)")?\s*\]/.exec(line) ?? []
    if (name !== undefined) section = sub === undefined ? name : `${name}.${sub}`
    const [, key, value = ''] = /^\s*(?:\[[^\]]*\]\s*)?([A-Za-z][\w-]*)\s*=\s*([^]*)$/.exec(line) ?? []
    if (key === undefined || section === '') return []
    const full = `${section}.${key}`.toLowerCase()
    const isPlain =
      section === 'alias' ? !value.trim().replace(/^"/, '').startsWith('!') : PLAIN_VALUE.test(value.trim())
    return isCodeKey(full) && !isPlain ? [full] : []
  })
}
