import { describe, expect, test } from 'vitest'
import type { Effect, Target } from '../../protocol/evidence.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import type { StepOf } from '../../protocol/step.ts'
import { revealedBy } from './revealed.ts'

const VALUE = ['qcf', 'EDe', '9921', 'AQdK'].join('x')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const result = (input: JsonObject, output: Json, tool = 'Bash', server?: string): StepOf<'toolCallResult'> => ({
  id: '1',
  host: 'h',
  event: 'e',
  at: 0,
  session: { id: 's' },
  agent: { id: 'main', role: 'main' },
  kind: 'toolCallResult',
  payload: { tool: { name: tool, ...(server === undefined ? {} : { server }) }, input, status: 'succeeded', output },
})
const reads = (kind: Effect['kind'], ...targets: readonly Target[]): Effect => ({
  kind,
  by: 'x',
  targets,
  certainty: 'certain',
  traits: [],
})
const STORE = [reads('secret.read', { type: 'resource', name: 'a store' })]
const FILE = [reads('secret.read', { type: 'path', raw: '.env', path: '/app/.env', zone: 'dotenv' })]
const ENVIRONMENT = [reads('env.read')]

describe('values that are secrets because of where they come from', () => {
  test.each<{
    readonly name: string
    readonly step: StepOf<'toolCallResult'>
    readonly effects: readonly Effect[]
    readonly values: readonly string[]
  }>([
    {
      name: 'one value of a store',
      step: result({ command: 'pass show db' }, 'correct-horse-battery\n'),
      effects: STORE,
      values: ['correct-horse-battery'],
    },
    {
      name: 'fields of a store',
      step: result({ command: 'vault read db' }, `Key      Value\nlease_id  db/creds/app/x1\nttl: 1h\nvalue: ${VALUE}`),
      effects: STORE,
      values: [VALUE],
    },
    {
      name: 'a secret of a cluster, decoded',
      step: result(
        { command: 'kubectl get secret -o yaml' },
        `apiVersion: v1\ndata:\n  dbpass: ${base64(VALUE)}\nkind: Secret\nmetadata:\n  uid: 0b3c1e44-6a1c-4b6e-9a67-1a2b3c4d5e6f\n  resourceVersion: "1234567890"`,
      ),
      effects: STORE,
      values: [base64(VALUE), VALUE],
    },
    {
      name: 'JSON of a cloud',
      step: result(
        { command: 'aws' },
        `{"ARN":"arn:aws:x","Name":"prod/db1","VersionId":"a1b2c3d4e5f6a7b8","SecretString":"${VALUE}"}`,
      ),
      effects: STORE,
      values: [VALUE],
    },
    {
      name: 'a value of an env file under a name that says nothing',
      step: result(
        { file_path: '.env' },
        `PORT=3000\nINTERNAL=${VALUE}\nAPP_URL=https://app.example/a1\nNEXT_PUBLIC_X=${VALUE}b`,
        'Read',
      ),
      effects: FILE,
      values: [VALUE],
    },
    {
      name: 'named variables of the environment',
      step: result(
        { command: 'env' },
        `PATH=/usr/bin\nGPG_AGENT=abc123def456ghi\nAPI_KEY=${VALUE}\nHOME=/home/dev1\nDBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus\nKEYRING=unix:/run/user/1000/k`,
      ),
      effects: ENVIRONMENT,
      values: [VALUE],
    },
    { name: 'one variable', step: result({ command: 'printenv API_KEY' }, `${VALUE}\n`), effects: [], values: [VALUE] },
    {
      name: 'one output of a program',
      step: result({ command: 'terraform output -raw db_password' }, VALUE),
      effects: [],
      values: [VALUE],
    },
    {
      name: 'a tool that hands out secrets',
      step: result({ name: 'db' }, VALUE, 'mcp__vault__read_secret', 'vault'),
      effects: [],
      values: [VALUE],
    },
    {
      name: 'a tool that does not',
      step: result({ name: 'db' }, VALUE, 'mcp__vault__list', 'vault'),
      effects: [],
      values: [],
    },
    {
      name: 'a commit on tokens',
      step: result({ command: 'git log -1 --format=%h -- token.ts; echo token' }, '8f3a2b1c9d0e'),
      effects: [],
      values: [],
    },
    {
      name: 'a name and no value',
      step: result({ command: 'grep -rl token src' }, 'src/auth/token2.ts'),
      effects: [],
      values: [],
    },
    { name: 'other output', step: result({ command: 'npm test' }, VALUE), effects: [], values: [] },
  ])('$name', ({ step, effects, values }) => {
    expect(revealedBy(step, effects)).toEqual(values)
  })

  test('is bounded', () => {
    const many = Array.from({ length: 200 }, (_, at) => `KEY_${at}=${VALUE}${at}`).join('\n')
    expect(revealedBy(result({ command: 'env' }, many), ENVIRONMENT)).toHaveLength(24)
  })
})
