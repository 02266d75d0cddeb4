import { expect, test } from 'vitest'
import { hookForm, parseClientVersion } from './client-version.ts'

test.each([
  { printed: '2.1.330 (Claude Code)\n', form: 'http' },
  { printed: '2.1.295 (Claude Code)', form: 'http' },
  { printed: '2.1.294 (Claude Code)', form: 'command' },
  { printed: '2.1.139', form: 'command' },
  { printed: '2.1.138', form: 'shell' },
  { printed: '1.9.999', form: 'shell' },
  { printed: '2.2.0', form: 'http' },
  { printed: '3.0.0', form: 'http' },
  { printed: 'command not found', form: 'http' },
])('$printed: $form', ({ printed, form }) => {
  expect(hookForm(parseClientVersion(printed))).toBe(form)
})
