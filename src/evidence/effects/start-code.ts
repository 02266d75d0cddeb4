/** Files that a shell reads as its code when it starts, or git at its events. */
const SHELL_FILE =
  /(?:\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|xprofile|xinitrc|xsession)|\/\.git\/hooks\/[^/]+|^\/etc\/(?:profile|bash\.bashrc|bashrc|zshrc|zshenv|rc\.local|profile\.d\/.*|cron\.(?:hourly|daily|weekly|monthly)\/.*|init\.d\/.*))$/i
const CRON_FILE = /^\/etc\/(?:crontab$|anacrontab$|cron\.d\/)|^\/var\/spool\/cron/i
const OTHER_LANGUAGE = /^#!(?!\s*\S*?(?:\/|\s)(?:ba|z|da|k)?sh\b)/

/** The commands of a table of cron: what stands behind the time, and the user's name where the table has one. */
export const cronCode = (table: string): readonly string[] =>
  table.split('\n').flatMap((line) => {
    const code = /^\s*(?:@\w+|(?:[\d*][\w*/,-]*\s+){4}[\w*/,-]+)\s+(\S.*)$/.exec(line)?.[1]
    return code === undefined ? [] : [code]
  })

/** The shell code in a file that is started by itself later, as far as its kind is known. */
export const startCode = (path: string, text: string): readonly string[] => {
  if (SHELL_FILE.test(path)) return OTHER_LANGUAGE.test(text) ? [] : [text]
  if (CRON_FILE.test(path)) return cronCode(text)
  if (/\.(?:service|desktop)$/i.test(path))
    return [...text.matchAll(/^Exec(?:Start|StartPre|StartPost|Stop|StopPost|Reload)?=[-@:+!]*(.+)$/gm)].map(
      ([, code = '']) => code,
    )
  return []
}
