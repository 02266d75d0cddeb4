import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { AWS_RULES } from './aws.ts'

const id = fake('AKIA', 16, 'base32')
const secret = fake('', 40, 'base64', 7)
const session = fake('IQoJb3JpZ2luX2Vj', 300, 'base64')

testRules('aws', AWS_RULES, {
  'aws-access-key': {
    found: [id, fake('ASIA', 16, 'base32'), ['export AWS_ACCESS_KEY_ID=', id, '\n'], ['{"line":"one\\n', id, '\\n"}']],
    clean: [
      'AKIAIOSFODNN7EXAMPLE',
      `x${id}`,
      `${id}0`,
      `AKIA${'X'.repeat(16)}`,
      'TODAYINASIAASACKOFRICEFELLOVER',
      fake('akia', 16, 'lower'),
    ],
  },
  'aws-secret-key': {
    found: [
      ['aws_secret_access_key = ', secret, '\n'],
      ['"SecretAccessKey": "', secret, '",'],
      ['\\"SecretAccessKey\\":\\"', secret, '\\"'],
      ['AWS_SECRET_ACCESS_KEY=', secret, ' npm test'],
      ["secretAccessKey: '", secret, "'"],
    ],
    beside: [[`${fake('AKIA', 16, 'base32')},`, secret, '']],
    clean: [
      'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      `aws_secret_access_key = ${'a1'.repeat(20)}`,
      `aws_secret_access_key = ${fake('', 40, 'hex')}`,
      'aws_secret_access_key = ${AWS_SECRET_ACCESS_KEY}',
    ],
  },
  'aws-session-token': {
    found: [
      ['aws_session_token=', session, '\n'],
      ['"SessionToken": "', session, '"'],
    ],
    clean: ['session_token = get_session_token()', `session_token=${'A'.repeat(200)}`],
  },
  'aws-bedrock-key': {
    found: [fake('ABSK', 128, 'base64'), fake('bedrock-api-key-', 200, 'base64')],
    clean: [fake('ABSK', 20, 'base64'), 'bedrock-api-key-here'],
  },
})
