import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSecretScan } from '../src/assembly/detection/secret-scan.ts'

const root = join(import.meta.dirname, '..')

/** Places that look like secrets and are none. A new one is put together at run time, or stands here with its reason. */
const NO_SECRETS: readonly { readonly file: string; readonly type: string; readonly why: string }[] = [
  { file: 'src/evidence/detectors/scanner.test.ts', type: 'password', why: 'a made-up password in pieces' },
  { file: 'src/evidence/detectors/secrets/auth.test.ts', type: 'curl-password', why: 'an example that must not count' },
  { file: 'src/evidence/detectors/secrets/assignments.ts', type: 'password', why: 'the pattern of a name' },
  { file: 'src/evidence/effects/commands/files.ts', type: 'password', why: 'the path of the password file' },
  {
    file: 'src/evidence/effects/commands/wrappers.ts',
    type: 'password',
    why: 'the option of a program before its code',
  },
  {
    file: 'src/evidence/effects/scripts/concealed-file.test.ts',
    type: 'secret',
    why: 'a made-up value that must not be kept',
  },
  { file: 'test/support/hostile-text.ts', type: 'jwt', why: 'the shortest token there is; it signs nothing' },
]

/** The made-up value of the policy cases about secrets, which signs nothing. */
const OF_CASES = ['xKcU', 'de7Mg', '9921', 'AQdK', 'qcfEDe'].join('-')

/** UTF-16 code units in which a value has to begin. */
const LINE = 40

const isKnown = (file: string, type: string, found: string): boolean =>
  NO_SECRETS.some((known) => known.file === file && known.type === type) ||
  (file.startsWith('policies/baseline/') && found.includes(OF_CASES))

/** Files under version control; none in a copy without its history. */
const ownFiles = (): readonly string[] => {
  if (!existsSync(join(root, '.git'))) return []
  return execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
}

test.skipIf(!existsSync(join(root, '.git')))('no file of this repository contains a secret', () => {
  const scan = createSecretScan()
  const found = ownFiles().flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return scan(text)
      .filter(({ start, type }) => !isKnown(file, type, text.slice(start, start + LINE)))
      .map(({ start, type }) => `${file}:${text.slice(0, start).split('\n').length} ${type}`)
  })
  expect(found).toEqual([])
})
