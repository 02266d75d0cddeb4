#!/usr/bin/env node
import process from 'node:process'

// By itself Node opens its debugger to whoever sends this: every process of the same user could rewrite a running guard.
process.on('SIGUSR1', () => undefined)

/** The oldest release line that has what the guard is built on; `engines` of the package says the same. */
const NEEDED = 24

// Nothing of ours is loaded before: an older Node would end in a stack trace on the first thing that it does not have.
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `sallyport: it needs Node ${NEEDED} or newer, and this is Node ${process.versions.node} (${process.execPath}).\n`,
  )
  process.exitCode = 2
} else {
  const { start } = await import('./start.ts')
  process.exitCode = await start()
}
