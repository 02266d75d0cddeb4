import { type Field, visible } from './field.ts'

/** Verbs of programs that report what a command is, without running it. */
const JUDGES = /^(?:explain|parse|classify|analy[sz]e|lint|scan|tokenize|highlight)$/

/** Whether a program is asked about a command, which does not run. */
export const onlyJudges = (args: readonly Field[]): boolean =>
  args.slice(0, 3).some((field) => JUDGES.test(visible(field)))
