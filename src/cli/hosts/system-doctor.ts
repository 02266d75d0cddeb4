import process from 'node:process'
import { parseArgs } from 'node:util'
import type { ExitCode, Io } from '../io/io.ts'
import type { Check } from '../../hosts/setup/check.ts'
import { systemInstallation } from './system-installation.ts'
import { boundaryChecks } from './boundary-checks.ts'
import { keyChecks } from './key-checks.ts'
import { reportChecks } from './check-lines.ts'

/** `sallyport doctor --system`. */
export const doctorSystem = async (args: readonly string[], io: Io): Promise<ExitCode> => {
  const { values } = parseArgs({
    args: [...args],
    options: { system: { type: 'boolean' }, json: { type: 'boolean', default: false } },
  })
  const uid = process.getuid?.()
  const installation = systemInstallation()
  const boundary = boundaryChecks(io, uid)
  const checks =
    installation === undefined
      ? boundary.map((check): Check => ({ ...check, status: 'fail' }))
      : [...boundary, ...(uid === 0 ? keyChecks(installation.layout.data) : [])]
  return reportChecks(io, checks, values.json, 'Nothing has to be fixed.')
}
