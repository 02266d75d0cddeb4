import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { JWT_RULES } from './jwt.ts'

const part = (value: unknown): string =>
  btoa(JSON.stringify(value)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_')
const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: '1234567890', name: 'A' })}.${fake('', 43, 'url')}`
const sealed = `${part({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.${fake('', 200)}.${fake('', 16)}.${fake('', 80)}.${fake('', 22)}`

/** The example token of pages about web tokens. */
const printed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: '1234567890', name: 'John Doe', iat: 1516239022 })}.${fake('', 43)}`

testRules('jwt', JWT_RULES, {
  jwt: {
    found: [signed, sealed, ['{"id_token":"', signed, '"}'], ['https://x/cb?t=', signed, '&s=1']],
    clean: [
      `${part({ typ: 'JWT', x: 'no algorithm' })}.${part({ sub: 1 })}.${fake('', 43)}`,
      printed,
      'eyJub3QganNvbiBhdCBhbGwgYnV0IGxvbmc.abc.def',
      'import { eyJ } from "x"',
    ],
  },
})
