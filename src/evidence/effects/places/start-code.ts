/** Files that a shell reads as its code when it starts, or git at its events. */
const SHELL_FILE =
  /(?:\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|xprofile|xinitrc|xsession)|\/\.git\/hooks\/[^/]+|^\/etc\/(?:profile|bash\.bashrc|bashrc|zshrc|zshenv|rc\.local|profile\.d\/.*|cron\.(?:hourly|daily|weekly|monthly)\/.*|init\.d\/.*)|\/\.oh-my-zsh\/custom\/.*\.zsh|\/\.(?:zsh|bash)rc\.d\/[^/]+|\/\.(?:nvm|sdkman|asdf|rvm)\/.*\.sh|\/\.(?:cargo|deno|rustup|ghcup|bun)\/env|\/\.(?:pyenv|rbenv|nodenv|jenv|goenv)\/\w+\.d\/.*\.bash|\/\.config\/(?:direnv|op|plasma-workspace)\/.*|\/\.direnvrc|\/nautilus\/scripts\/[^/]+)$/i
const CRON_FILE = /^\/etc\/(?:crontab$|anacrontab$|cron\.d\/)|^\/var\/spool\/cron/i
const OTHER_LANGUAGE = /^#!(?!\s*\S*?(?:\/|\s)(?:ba|z|da|k)?sh\b)/

/** The commands of a cron table: the text after the time, and after the user's name where the table has one. */
export const cronCode = (table: string): readonly string[] =>
  table.split('\n').flatMap((line) => {
    const code = /^\s*(?:@\w+|(?:[\d*][\w*/,-]*\s+){4}[\w*/,-]+)\s+(\S.*)$/.exec(line)?.[1]
    return code === undefined ? [] : [code]
  })

/** Programs for which an alias needs no question: they only show things, or do what the alias's name means. */
const ALIASED =
  /^(?:ls|eza|exa|lsd|cd|pwd|grep|rg|git|docker|kubectl|npm|pnpm|yarn|make|vim|nvim|nano|emacs|code|bat|cat|less|tail|tmux|history|df|du|ps|clear|tree|terraform|brew|cargo|go|jq|open|xdg-open)$/
const PLAIN_ALIAS = /^alias\s+[\w.-]+=(['"]?)([a-z][\w-]*)((?: +[\w@%+,./~^:-]+)*)\1$/

/** Variables that choose a usual pager or editor, a language or a size. */
const PLAIN_SETTING =
  /^(?:export\s+)?(?:(?:EDITOR|VISUAL|PAGER|MANPAGER)=(['"]?)(?:vim?|nvim|nano|emacs|code(?: --wait)?|less(?: -\w+)?|more|bat|cat)\1|(?:LANG|LC_[A-Z]+)=['"]?[\w.-]+['"]?|(?:HISTSIZE|HISTFILESIZE|SAVEHIST)=\d+|TERM=xterm-256color|PATH=(['"]?)(?:(?:\$\{?(?:PATH|HOME|path)\}?|~|\/[\w.@+-]+)(?:\/[\w.@+-]+)*\/?:)*(?:\$\{?(?:PATH|HOME)\}?|~)(?:\/[\w.@+-]+)*\2)$/

/** A line of a login file that only defines abbreviations, and runs nothing. */
const isPlainLine = (line: string): boolean => {
  if (line === '' || line.startsWith('#')) return true
  if (PLAIN_SETTING.test(line)) return true
  const [, , program = '', rest = ''] = PLAIN_ALIAS.exec(line) ?? []
  return ALIASED.test(program) && !/(?:^|\s)-c\b/.test(rest)
}

/** Whether text for a login file only abbreviates commands: nothing starts by itself. */
export const isPlainStart = (path: string, texts: readonly string[]): boolean =>
  /\/\.(?:bashrc|bash_aliases|bash_profile|profile|zshrc|kshrc)$|\/\.oh-my-zsh\/custom\/.*\.zsh$|\/\.(?:zsh|bash)rc\.d\//i.test(
    path,
  ) &&
  texts.some((text) => text.trim() !== '') &&
  texts.every((text) => text.split('\n').every((line) => isPlainLine(line.trim())))

/** The shell code in a file that starts by itself later, as far as its kind is known. */
export const startCode = (path: string, text: string): readonly string[] => {
  if (SHELL_FILE.test(path)) return OTHER_LANGUAGE.test(text) ? [] : [text]
  if (CRON_FILE.test(path)) return cronCode(text)
  if (/\.(?:service|desktop)$/i.test(path))
    return [...text.matchAll(/^Exec(?:Start|StartPre|StartPost|Stop|StopPost|Reload)?=[-@:+!]*(.+)$/gm)].map(
      ([, code = '']) => code,
    )
  return []
}
