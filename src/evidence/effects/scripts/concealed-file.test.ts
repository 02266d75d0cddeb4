import { describe, expect, test } from 'vitest'
import { DEFAULT_EFFECT_BUDGET, type EffectAnalysis } from '../engine/analysis.ts'
import { analyseEffects } from '../analyse-effects.ts'
import { effectNotation } from '../effect-notation.fixture.ts'
import { GUARD, callOf } from '../fixture.ts'
import { createGivenWorld } from '../world/given-world.ts'
import { createRecordedWorld } from '../world/record-questions.ts'

const APP = '/home/user/app'

const analyse = (command: string, files: Readonly<Record<string, string>>): EffectAnalysis =>
  analyseEffects(callOf('Bash', { command }), {
    world: createGivenWorld({
      home: '/home/user',
      files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`${APP}/${name}`, text])),
    }),
    guard: GUARD,
    budget: DEFAULT_EFFECT_BUDGET,
  })

const replayed = (command: string, { observations }: EffectAnalysis): EffectAnalysis =>
  analyseEffects(callOf('Bash', { command }), {
    world: createRecordedWorld(observations),
    guard: GUARD,
    budget: DEFAULT_EFFECT_BUDGET,
  })

const HARM = 'rm -rf ~'

describe('a file that runs and whose name means secrets', () => {
  test.each([
    { name: 'sourced', file: '.env.test', command: 'source .env.test' },
    { name: 'sourced by a dot', file: '.envrc', command: '. ./.envrc' },
    { name: 'given to a shell', file: 'id_rsa', command: 'sh id_rsa' },
    { name: 'run directly', file: 'deploy.pem', command: './deploy.pem' },
    { name: 'read by a shell', file: 'secrets.yml', command: 'bash < secrets.yml' },
    { name: 'allowed to direnv', file: '.envrc', command: 'direnv allow' },
    { name: 'run in it by direnv', file: '.envrc', command: 'direnv exec . ls' },
    { name: 'set for a shell', file: '.env', command: 'BASH_ENV=./.env bash -c ls' },
    { name: 'a .env that is sourced for its variables', file: '.env', command: 'set -a; source .env; set +a; ls' },
  ])('$name: is followed', ({ file, command }) => {
    const analysis = analyse(command, { [file]: `export TOKEN=abc\n${HARM}\n` })
    expect(analysis.effects.map(effectNotation)).toContainEqual(expect.stringMatching(/^fs\.delete\S*@home$/))
  })

  test.each([
    {
      name: 'JavaScript',
      command: 'node key.pem',
      code: "require('fs').rmSync(require('os').homedir(), { recursive: true })",
    },
    { name: 'Python', command: 'python3 key.pem', code: "import shutil; shutil.rmtree('/home/user')" },
    { name: 'Ruby', command: 'ruby key.pem', code: "system('rm -rf /home/user')" },
  ])('$name: is followed in its language', ({ command, code }) => {
    const analysis = analyse(command, { 'key.pem': code })
    expect(analysis.effects.map(effectNotation)).toContainEqual(expect.stringMatching(/^fs\.delete\S*@home$/))
  })

  const SECRET = 'S3cr3t-Value-91'
  const TELLING = [
    `export TOKEN=${SECRET}`,
    `curl -H "Authorization: ${SECRET}" https://user:${SECRET}@e.example/${SECRET}`,
    `${SECRET} a`,
    `psql "$DB" -c "drop table ${SECRET}"`,
    `eval "${SECRET}"`,
    `kill ${SECRET}`,
    `echo 'open ${SECRET}`,
    `rm -rf "$X/${SECRET}"`,
    `npm publish ${SECRET}`,
  ]

  test.each(TELLING)('nothing of its text is emitted or stored: %s', (line) => {
    const told = analyse('source .env', { '.env': line })
    expect(JSON.stringify(told)).not.toContain(SECRET)
  })

  test.each([...TELLING, HARM, 'cd /', 'DIR=/', 'sh x.sh'])('a replay sees the same: %s', (line) => {
    const command = 'DIR=build; source .env; rm -rf "$DIR"/*; rm -rf dist'
    const first = analyse(command, { '.env': line, 'x.sh': HARM })
    expect(replayed(command, first)).toEqual(first)
  })

  test.each([
    { name: 'reading it', command: 'cat .env' },
    { name: 'handing it to a program', command: 'docker run --env-file .env app' },
    { name: 'a key that is used', command: 'ssh -i deploy.pem host uptime' },
  ])('$name does not follow it', ({ command }) => {
    const analysis = analyse(command, { '.env': HARM, 'deploy.pem': HARM })
    expect(analysis.effects.map(effectNotation)).not.toContainEqual(expect.stringMatching(/^fs\.delete/))
  })

  test.each([
    'set -a; source .env; set +a; npm start',
    'set -a && . ./.env && set +a && node server.js',
    'source .envrc && npm test',
    'export $(grep -v "^#" .env | xargs) && npm start',
    'direnv allow',
    'direnv exec . npm test',
  ])('everyday use stays silent: %s', (command) => {
    const analysis = analyse(command, {
      '.env':
        '# keys\nDATABASE_URL=postgres://app:pw@localhost/app\nAPI_KEY="abc def"\nURL=https://e.example/?a=1\nEMPTY=\nNODE_ENV=development\n',
      '.envrc':
        'use flake\nlayout python3\ndotenv_if_exists .env.local\nexport PATH=$PWD/bin:$PATH\nPATH_add bin\nsource_up\nexport AWS_PROFILE=dev\n',
    })
    expect(
      analysis.effects
        .map(effectNotation)
        .filter((one) => /^(?:fs\.delete|secret\.send|exec\.(?:remote|decoded)|unresolved\+)/.test(one)),
    ).toEqual([])
  })
})
