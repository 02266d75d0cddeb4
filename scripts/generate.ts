/** Writes what is generated from the code; `--check` fails when that would change a file. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS } from '../src/errors.ts'

const root = join(import.meta.dirname, '..')

const errorsPage = (): string =>
  [
    '# Errors',
    '',
    'Every error carries one of these codes: in answers, in the trace, in logs and on the terminal. `{…}` stands for a detail.',
    'This page is generated from `src/errors.ts` (`npm run generate`).',
    '',
    '| code | what happened | what to do |',
    '|---|---|---|',
    ...Object.entries(ERRORS).map(([code, { message, advice }]) => `| \`${code}\` | ${message} | ${advice} |`),
    '',
  ].join('\n')

const FILES: Readonly<Record<string, () => string>> = { 'docs/errors.md': errorsPage }

const check = process.argv.includes('--check')
const stale = Object.entries(FILES).filter(([file, make]) => {
  const path = join(root, file)
  const text = make()
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false
  if (!check) writeFileSync(path, text)
  return true
})
for (const [file] of stale) console.log(check ? `stale: ${file} (npm run generate)` : `wrote ${file}`)
if (check && stale.length > 0) process.exitCode = 1
