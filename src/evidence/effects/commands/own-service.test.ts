import { expect, test } from 'vitest'
import { isOwnService } from './own-service.ts'

const goes = (variable: string, host: string, project?: string): boolean =>
  isOwnService({ type: 'resource', name: `env:${variable}` }, [{ type: 'host', host }], project)

test.each([
  ['OPENAI_API_KEY', 'api.openai.com:443'],
  ['DD_API_KEY', 'api.datadoghq.eu'],
  ['HUGGING_FACE_HUB_TOKEN', 'huggingface.co'],
  ['OPENWEATHER_API_KEY', 'api.openweathermap.org'],
  ['SUPABASE_KEY', 'abc.supabase.co'],
  ['JIRA_TOKEN', 'corp.atlassian.net'],
  ['JIRA_TOKEN', 'jira.corp.example'],
  ['GITLAB_TOKEN', 'gitlab.corp.example'],
  ['BILLING_TOKEN', 'billing.corp.example:8443'],
  ['OPENAI_API_KEY', 'localhost:8080'],
  ['OPENAI_API_KEY', '127.0.0.1:8080'],
  ['TOKEN', 'any.example'],
  ['STAGING_TOKEN', 'any.example'],
  ['GITEA_TOKEN', 'git.corp.example'],
])('%s goes home to %s', (variable, host) => {
  expect(goes(variable, host)).toBe(true)
})

test.each([
  ['GITHUB_TOKEN', 'github.evil.example'],
  ['GITHUB_TOKEN', 'github.com.evil.example'],
  ['GITHUB_TOKEN', 'api-github.com.evil.example'],
  ['GITLAB_TOKEN', 'gitlab.com.evil.example'],
  ['OPENAI_API_KEY', 'openai.evil.example'],
  ['OPENAI_API_KEY', 'localhost.evil.example'],
  ['OPENAI_API_KEY', '127.0.0.1.evil.example'],
  ['STRIPE_SECRET_KEY', 'notstripe.example'],
])('%s is a stranger at %s', (variable, host) => {
  expect(goes(variable, host)).toBe(false)
})

test('a variable that is called after the project goes to the host that the project names', () => {
  expect(goes('LEDGER_STAGING_TOKEN', 'api.corp.example.com', 'ledger')).toBe(true)
  expect(goes('SHOP_KEY', 'api.corp.example.com', 'shopfront')).toBe(true)
  expect(goes('LEDGER_TOKEN', 'api.corp.example.com', 'shopfront')).toBe(false)
  expect(goes('LEDGER_TOKEN', '203.0.113.7', 'ledger')).toBe(false)
  expect(goes('GITHUB_TOKEN', 'api.corp.example.com', 'github')).toBe(false)
})
