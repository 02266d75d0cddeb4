import type { Frame } from './frame.ts'

/** The grammar that text is in: `bash` and `sh` are read whole, `zsh` where it is like them, the rest only where all agree. */
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

/** The grammar of a shell, by its name or path. */
export const dialectOf = (program: string): Dialect | undefined =>
  BY_PROGRAM[program.slice(program.lastIndexOf('/') + 1)]

/**
 * The grammar that the code of a frame is in: of the shell that it is given to, or of the machine's. A host that finds
 * neither bash nor zsh in `SHELL` takes one of them by a search of its own, so such a machine says nothing.
 */
const grammarOf = ({ dialect, engine }: Frame): Dialect | undefined => {
  if (dialect !== undefined) return dialect
  const machine = dialectOf(engine.paths.world.env('SHELL') ?? '')
  return machine === 'fish' || machine === 'other' ? undefined : machine
}

/** Whether a shell of this grammar may read the code of a frame: true as long as it is not known that another one does. */
export const mayBe = (frame: Frame, dialect: Dialect): boolean => {
  const grammar = grammarOf(frame)
  return grammar === undefined || grammar === dialect
}

/** Text that every shell reads alike: plain words, quotes without escapes, lists and pipes. */
const ALIKE = /^[\w\s./~:=@%+,;&|'"-]*$/

/** Whether the code of a frame may mean something else than is read: it is for a shell of which only a part is read. */
export const isForeign = ({ dialect }: Frame, text: string): boolean =>
  (dialect === 'fish' || dialect === 'other') && !ALIKE.test(text)

/** How a parser's error is told: text for bash or sh has no other grammar that might hold. */
export const howUnread = (frame: Frame): 'syntax' | 'dialect' => {
  const grammar = grammarOf(frame)
  return grammar === undefined || grammar === 'bash' || grammar === 'sh' ? 'syntax' : 'dialect'
}
