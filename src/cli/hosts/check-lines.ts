import type { Check } from '../../hosts/setup/check.ts'
import type { ExitCode, Io } from '../io/io.ts'

const SIGNS: Readonly<Record<Check['status'], string>> = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' }

/** One line per check, with the advice below. */
export const checkLines = (checks: readonly Check[]): string => {
  const width = Math.max(...checks.map(({ name }) => name.length))
  return checks
    .flatMap(({ status, name, found, advice }) => [
      `${SIGNS[status]}  ${name.padEnd(width)}  ${found}`,
      ...(advice === undefined ? [] : [`${' '.repeat(width + 8)}${advice}`]),
    ])
    .join('\n')
}

/** Whether no check has failed. */
export const allPassed = (checks: readonly Check[]): boolean => checks.every(({ status }) => status !== 'fail')

/** Prints the results of doctor; exit code 1 when a check has failed. */
export const reportChecks = (io: Io, checks: readonly Check[], asJson: boolean, allIsWell: string): ExitCode => {
  const good = allPassed(checks)
  if (asJson) io.out(JSON.stringify({ ok: good, checks }, null, 2))
  else io.out(`${checkLines(checks)}\n\n${good ? allIsWell : 'Something has to be fixed.'}`)
  return good ? 0 : 1
}
