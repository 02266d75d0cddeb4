import type { Target } from '../../../protocol/evidence.ts'
import { globPattern } from '../values/glob.ts'
import { words } from '../values/words.ts'
import type { PathTarget } from './paths.ts'

/** Typical lines with a secret. No key is real: each is assembled here. */
const SECRET_LINES: readonly string[] = [
  ...words('OPENSSH RSA').map((sort) => ['-----BEGIN', sort, 'PRIVATE', 'KEY-----'].join(' ')),
  ...words('AKIA ghp_ sk- xoxb- aws_secret_access_key= client_secret: api_key= PASSWORD= "refresh_token":').map(
    (start) => start + 'A1B2'.repeat(10),
  ),
  'seed phrase mnemonic',
]
/** Lines that an unrelated search finds. */
const OTHER_LINES = "import { a } from './b.ts'\n# TODO: tidy up\nerror: 404 at line 12\nconst x = 1".split('\n')

const SECRET_FILES: readonly string[] = words(
  `id_rsa id_ed25519 a.pem a.key a.p12 a.pfx a.kdbx a.wallet wallet.dat credentials credentials.json .env .netrc
  secrets.yaml key4.db login.keychain-db a.p8 a.ppk a.jks a.keystore`,
)
const OTHER_FILES: readonly string[] = words('index.ts readme.md a.txt a.json package.json')

/** Longer patterns are lists of words, and trying an expression takes time. */
const LONGEST = 400

const fits = (pattern: RegExp, some: readonly string[]): boolean => some.some((one) => pattern.test(one))

/** Whether an expression finds lines with keys and passwords rather than any line; one that cannot be tried may. */
export const searchesSecrets = (expression: string): boolean => {
  if (expression === '') return false
  // Nested repetitions could take exponential time.
  if (expression.length > LONGEST || /[)}][*+{]/.test(expression)) return true
  try {
    const pattern = new RegExp(expression.replace(/^\(\?i\)/, ''), 'i')
    return fits(pattern, SECRET_LINES) && !fits(pattern, OTHER_LINES)
  } catch {
    return true
  }
}

/** Whether an expression for names finds files with keys and passwords rather than any file. */
export const namesSecrets = (expression: string): boolean => {
  if (/^[.*^$]*$/.test(expression) || expression.length > LONGEST || /[)}][*+{]/.test(expression)) return false
  try {
    const pattern = new RegExp(expression.replaceAll(/\\([()|])/g, '$1'), 'i')
    return fits(pattern, SECRET_FILES) && !fits(pattern, OTHER_FILES)
  } catch {
    return false
  }
}

/** Whether a folder contains everything of a person or of a machine. */
export const isWide = ({ zone, path }: PathTarget): boolean =>
  zone === 'home' || zone === 'root' || /^\/(?:[a-z]:\/)?(?:home|users)$/i.test(path)

/** The parts of a search for files with keys and passwords. */
export const SEARCHED: Target = { type: 'resource', name: 'keys and passwords' }

/** Whether a file pattern selects files with keys and passwords rather than any file. */
export const picksSecrets = (pattern: string): boolean =>
  pattern
    .slice(0, LONGEST)
    .toLowerCase()
    .split(/[{},/]/)
    .filter((part) => !/^[*?]*$/.test(part))
    .some((part) => {
      const names = globPattern(part)
      return SECRET_FILES.some((file) => names.test(file)) && !OTHER_FILES.some((file) => names.test(file))
    })
