/**
 * The dialect of shell code: `bash` and `sh` are read completely, `zsh` where it agrees with them, the rest only where
 * all agree.
 */
export type Dialect = 'bash' | 'sh' | 'zsh' | 'fish' | 'other'

const BY_PROGRAM: Readonly<Record<string, Dialect | undefined>> = {
  bash: 'bash',
  rbash: 'bash',
  sh: 'sh',
  dash: 'sh',
  ash: 'sh',
  ksh: 'sh',
  mksh: 'sh',
  oksh: 'sh',
  yash: 'sh',
  zsh: 'zsh',
  fish: 'fish',
  csh: 'other',
  tcsh: 'other',
  nu: 'other',
  xonsh: 'other',
  elvish: 'other',
}

/** The dialect of a shell, by its name or path. */
export const dialectOf = (program: string): Dialect | undefined =>
  BY_PROGRAM[program.slice(program.lastIndexOf('/') + 1)]
