#!/usr/bin/env node
import process from 'node:process'

// By default this signal opens Node's debugger: every process of the same user could change a running guard.
process.on('SIGUSR1', () => undefined)

/** The oldest supported release line, the same as `engines` of the package. */
const NEEDED = 24

// Before any other module is loaded: an older Node would end in a stack trace.
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `sallyport: it needs Node ${NEEDED} or newer, and this is Node ${process.versions.node} (${process.execPath}).\n`,
  )
  process.exitCode = 2
} else {
  const { start } = await import('./start.ts')
  process.exitCode = await start()
}
