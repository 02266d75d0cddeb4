import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { AZURE_RULES } from './azure.ts'

const storage = `${fake('', 86, 'base64')}==`
const client = `${fake('', 3, 'alnum')}8Q~${fake('', 34, 'alnum')}`
const signature = `${fake('', 43, 'alnum')}%3D`

testRules('azure', AZURE_RULES, {
  'azure-account-key': {
    found: [
      ['DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=', storage, ';EndpointSuffix=core.windows.net'],
      ['Endpoint=sb://shop/;SharedAccessKeyName=Root;SharedAccessKey=', `${fake('', 43, 'base64')}=`, ''],
    ],
    clean: ['AccountKey=<your-account-key>', `AccountKey=${'A'.repeat(86)}==`],
  },
  'azure-client-secret': {
    found: [client, ['(use the client secret: ', client, ')']],
    clean: [`bP88Q~${'x'.repeat(34)}`, '~'.repeat(40), `a${client}`],
  },
  'azure-sas': {
    found: [['https://a.blob.core.windows.net/c?sv=2024-01-01&se=2026-01-01&sr=c&sig=', signature, '']],
    clean: [`https://shop/?sig=${signature}`, '?sv=1&sig=abc'],
  },
  'azure-devops-token': {
    found: [`${fake('', 76, 'alnum')}AZDO${fake('', 4, 'alnum')}`],
    clean: [`${fake('', 70, 'alnum')}AZDO1234`],
  },
})
