import { expect, test } from 'vitest'
import { effectNotation } from '../../effect-notation.fixture.ts'
import { analyseWith } from '../../fixture.ts'

/** Zones of what a command deletes, by files of the project. */
const deletedBy = (command: string, files: Readonly<Record<string, string>>): readonly string[] =>
  analyseWith(command, files)
    .effects.map(effectNotation)
    .filter((one) => one.startsWith('fs.delete'))
    .map((one) => one.replace(/^.*@/, ''))

const SCRIPTS = '{"scripts":{"build":"npm-run-all clean:*","clean:a":"rm -rf ~","test":"jest"}}'
const PLAY = (hosts: string, path: string): string =>
  `- hosts: ${hosts}\n  tasks:\n    - file:\n        path: ${path}\n        state: absent\n`
const COMPOSE = (volume: string, command: string): string =>
  `services:\n  a:\n    image: alpine\n    volumes: ["${volume}"]\n    command: ${command}\n`

test.each([
  ['npm run build', { 'package.json': SCRIPTS }, ['home']],
  ['npx run-p "clean:*"', { 'package.json': SCRIPTS }, ['home']],
  ['pnpm run "/^clean:/"', { 'package.json': SCRIPTS }, ['home']],
  ['npx run-p "test:*"', { 'package.json': SCRIPTS }, []],
  ['perl -I. -Mx -e1', { 'x.pm': 'package x; `rm -rf ~`; 1;' }, ['home']],
  ['perl -Ilib -MA::B=c -e1', { 'lib/A/B.pm': 'system("rm -rf ~"); 1;' }, ['home']],
  ["perl -MData::Dumper -e 'print 1'", { 'x.pm': '`rm -rf ~`' }, []],
  ['ruby -r./x -e1', { 'x.rb': "system 'rm -rf ~'" }, ['home']],
  ['ruby -run -e rm -- -r /home/user', {}, ['home']],
  ["ruby -rjson -e 'puts 1'", { 'x.rb': "system 'rm -rf ~'" }, []],
  ['just clean', { justfile: "clean:\n    rm -rf {{env_var('HOME')}}" }, ['home']],
  ['just clean', { justfile: "h := env('HOME') / 'x'\nclean:\n    rm -rf {{h}}" }, ['home-file']],
  ['just clean', { justfile: 'd := "dist"\nclean:\n    rm -rf {{ d + "/js" }}' }, ['workspace']],
  [
    'nox -s x',
    { 'noxfile.py': "import nox\n@nox.session\ndef x(s):\n  s.run('rm', '-rf', '/home/user', external=True)" },
    ['home'],
  ],
  ['ansible-playbook p.yml', { 'p.yml': PLAY('localhost', '/home/user') }, ['home']],
  ['ansible-playbook p.yml', { 'p.yml': PLAY('web', '/home/user') }, []],
  ['ansible-playbook p.yml', { 'p.yml': PLAY('localhost', 'build') }, ['workspace']],
  ['docker compose up', { 'compose.yml': COMPOSE('~:/h', 'rm -rf /h') }, ['home']],
  ['docker compose up', { 'compose.yml': COMPOSE('/srv:/h', '["rm", "-rf", "/h"]') }, ['system']],
  ['docker compose up', { 'compose.yml': COMPOSE('.:/h', 'npm run dev') }, []],
  ['docker compose up', { 'compose.yml': COMPOSE('/h', 'rm -rf /h') }, []],
  ['docker compose up', { 'compose.yml': COMPOSE('/var/run/docker.sock:/s', 'rm -rf /tmp/x') }, []],
  ['docker compose up', { 'compose.yml': COMPOSE('data:/h', 'rm -rf /h') }, []],
  ['nvim +\'lua os.execute("rm -rf ~")\' +q', {}, ['home']],
])('%s', (command, files, zones) => {
  expect(deletedBy(command, files)).toEqual(zones.map((zone) => expect.stringMatching(zone)))
})
