import { existsSync } from 'node:fs'
import process from 'node:process'
import { openChangeReview } from '../../assembly/integrity/accept-files.ts'
import { dataFiles } from '../../config/data-folder.ts'
import { configLocations } from '../../config/locations.ts'
import type { Check } from '../../hosts/setup/check.ts'
import { fail, ok } from '../../hosts/setup/check.ts'
import { settingsChanges } from '../../hosts/claude-code/setup/settings-changes.ts'
import { NO_SIGNED_ACTS } from '../../record/signatures/signed-acts.ts'
import type { Io } from '../io/io.ts'

const ADVICE = 'Run `sallyport changes`; then `sallyport changes accept` or `sallyport changes revert`.'

/** Changes of what the guard depends on that nobody has accepted: they hold sessions. */
export const changeChecks = (data: string, io: Io): readonly Check[] => {
  if (!existsSync(dataFiles(data).accepted)) return []
  const review = openChangeReview(data, configLocations(io.env, io.home, process.platform), {
    now: Date.now,
    signed: NO_SIGNED_ACTS,
    judge: settingsChanges,
  })
  try {
    const open = review.open()
    return open.length === 0
      ? [ok('changes', 'there are no open changes of files that the guard depends on')]
      : open.map(({ path, findings }) => fail('changes', `${path}: ${findings.slice(0, 3).join('; ')}`, ADVICE))
  } finally {
    review.close()
  }
}
