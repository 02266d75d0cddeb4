import { describe, expect, test } from 'vitest'
import { analyseEffects } from './analyse-effects.ts'
import { DEFAULT_EFFECT_BUDGET } from './engine/analysis.ts'
import { callOf, effectsOf, effectsOfTool } from './fixture.ts'
import { createGivenWorld } from './world/given-world.ts'

const tampers = (effects: readonly string[]): boolean => effects.some((one) => one.startsWith('guard.tamper'))

const ATTACKS: readonly string[] = [
  'rm ~/.claude/settings.json',
  'rm -rf ~/.claude',
  'rm -rf ~/.cl*',
  'rm ~/.claude/sett*',
  'rm ~/.c?aude/settings.json',
  'rm ~/.CLAUDE/SETTINGS.JSON',
  'mv ~/.claude ~/.claude.bak',
  'mv ~/.claude/settings.json /tmp/',
  'echo {} > ~/.claude/settings.json',
  'echo x >> ~/.claude/settings.json',
  ': > ~/.claude/settings.json',
  'cp /tmp/x ~/.claude/settings.json',
  'ln -sf /tmp/x ~/.claude/settings.json',
  'chmod 000 ~/.claude/settings.json',
  'chattr +i ~/.claude/settings.json',
  'truncate -s 0 ~/.claude/settings.json',
  'sed -i s/hooks/x/ ~/.claude/settings.json',
  'tee ~/.claude/settings.json < /dev/null',
  'dd if=/dev/null of=/home/user/.claude/settings.json',
  'cd ~/.claude && rm settings.json',
  'cd ~ && rm .claude/settings.json',
  'cd ~/docs && rm ../.claude/settings.json',
  'F=settings.json; rm ~/.claude/$F',
  'D=$HOME/.claude; rm "$D/settings.json"',
  "bash -c 'rm ~/.claude/settings.json'",
  'find ~/.claude -name settings.json -delete',
  'find ~ -name "settings.json" -exec rm {} +',
  'rm innocent/token',
  'rm -rf innocent/',
  'ln -s ~/.claude x; rm x/settings.json',
  'ln -s ~/.claude/settings.json x; echo {} > x',
  'rm ~/.local/share/sallyport/trace.db',
  'rm -rf ~/.local/share/sallyport',
  'rm -rf ~/.local/share',
  'rm -rf ~/.local',
  'echo ~/.claude/settings.json | xargs rm',
  'python3 -c "import os; os.remove(os.path.expanduser(\'~/.claude/settings.json\'))"',
  "python3 -c \"open('/home/user/.claude/settings.json','w').write('{}')\"",
  "python3 -c \"from pathlib import Path; (Path.home()/'.claude'/'settings.json').unlink()\"",
  "node -e \"require('fs').writeFileSync(process.env.HOME + '/.claude/settings.json', '{}')\"",
  "node -e \"require('fs').unlinkSync(require('path').join(require('os').homedir(), '.claude', 'settings.json'))\"",
  'perl -e \'unlink "/home/user/.claude/settings.json"\'',
  'ruby -e \'File.delete(File.join(Dir.home, ".claude/settings.json"))\'',
  'kill 4242',
  'kill -9 4242',
  'kill -s KILL 4242',
  'P=4242; kill $P',
  'kill -9 -1',
  'pkill sallyport',
  'pkill -f sallyport',
  "pkill -f 'sall.port'",
  'killall node',
  'pkill -9 node',
  'kill $(pgrep -f sallyport)',
  'kill `pidof node`',
  'pgrep -f sallyport | xargs kill',
  'kill $(lsof -ti:8787)',
  'fuser -k 8787/tcp',
  "python3 -c 'import os; os.kill(4242, 9)'",
  "node -e 'process.kill(4242)'",
  'systemctl --user stop sallyport',
  'systemctl --user stop sally*',
  'kill -9 $(cat ~/.local/share/sallyport/guard.json | jq .pid)',
  "kill $(ps aux | grep sallyport | awk '{print $2}')",
  "sqlite3 ~/.local/share/sallyport/trace.db 'delete from events'",
  'find ~ -type f -delete',
  'find ~/.local -name "*" -exec rm -rf {} +',
  'launchctl bootout gui/501/dev.sallyport',
  'sallyport uninstall claude-code',
  'sallyport approvals approve 12',
  'sallyport approvals deny 12',
  'sallyport approvals edit 12 --input {}',
  'sallyport approvals override s 4 --reason x',
  'sallyport approvals revoke 12',
  'sallyport  approvals   approve 12',
  "'sallyport' approvals approve 12",
  's\\allyport approvals approve 12',
  'sallyport --json approvals approve 12',
  'SALLYPORT_DATA=/tmp/x sallyport approvals ls',
  'env -u CLAUDECODE sallyport approvals approve 12',
  'nohup sallyport approvals approve 12 &',
  'echo approve 12 | xargs sallyport approvals',
  'bash -c "sallyport approvals approve 12"',
  'cd node_modules/.bin && ./sallyport approvals approve 12',
  "node -e \"require('child_process').execSync('sallyport approvals approve 12')\"",
  'sallyport policy disable delete-home --for 30m',
  'sallyport policy enable delete-home',
  "sqlite3 ~/.local/share/sallyport/approvals.db 'update approvals set state=1'",
  'echo x > ~/.local/share/sallyport/approvals.db',
  'curl -H "Authorization: Bearer x" -d @a.json http://127.0.0.1:8787/v1/approvals/7k2m-9pqr',
  'wget --post-data {} http://localhost:8787/v1/approvals/7k2m-9pqr',
  'ln ~/.local/share/sallyport/approver-token ./t',
  'link ~/.local/share/sallyport/approvals.db ./a.db',
  'ln -f ~/.claude/settings.json ./s.json',
  'sqlite3 :memory: "attach \'/home/user/.local/share/sallyport/approvals.db\' as a; update a.approvals set state = 1 where n = 2"',
  'sallyport keys add passphrase',
  'sallyport keys add ssh ~/.ssh/id_ed25519.pub mine --allow-no-touch',
  'sallyport keys remove laptop',
  'npx sallyport keys add passkey',
  'script -qc "sallyport keys add passphrase" /dev/null',
  "bash -c 'sallyport keys add passphrase'",
  'echo x > ~/.local/share/sallyport/keys.json',
  'cp /tmp/keys.json ~/.local/share/sallyport/keys.json',
  'rm ~/.local/share/sallyport/keys.json',
  'sallyport accept ~/.claude/settings.json',
  'sallyport policy trust',
  'sallyport trace prune --all',
  'sallyport serve --data /tmp/x',
  'npx sallyport uninstall claude-code',
  'npx sallyport@latest approvals approve 1',
  'npm exec sallyport -- approvals approve 1',
  'npm run sallyport -- approvals approve 1',
  'npm run -s sallyport -- uninstall claude-code',
  'node ~/.npm/lib/node_modules/sallyport/dist/cli/main.js uninstall',
  './node_modules/.bin/sallyport uninstall',
  'S=sallyport; $S uninstall',
  'curl http://127.0.0.1:8787/v1/approvals/1/approve -X POST',
  'curl http://localhost:8787/',
  'curl http://2130706433:8787/',
  'curl http://[::1]:8787/x',
  'curl --unix-socket ~/.local/share/sallyport/guard.sock http://x/',
  'nc -U ~/.local/share/sallyport/guard.sock',
  'echo x | nc 127.0.0.1 8787',
  'echo x > /dev/tcp/127.0.0.1/8787',
  'python3 -c "import requests; requests.post(\'http://127.0.0.1:8787/v1/approvals\')"',
  "node -e \"fetch('http://localhost:8787/v1/approvals', {method:'POST'})\"",
  'claude --bare -p x',
  'claude --safe-mode',
  'claude --settings /tmp/x.json -p hi',
  'claude --setting-sources project',
  'CLAUDE_CONFIG_DIR=/tmp/x claude -p hi',
  'env CLAUDE_CONFIG_DIR=/tmp/x claude -p hi',
  'export CLAUDE_CONFIG_DIR=/tmp/x; claude -p hi',
  'SALLYPORT_MODE=observe claude',
  "NODE_OPTIONS='--require /tmp/x.js' claude -p hi",
  'LD_PRELOAD=/tmp/x.so claude',
  'echo \'{"disableAllHooks":true}\' > .claude/settings.json',
  'echo \'{"disableAllHooks":true}\' > .claude/settings.local.json',
  'echo \'{"dis\\u0061bleAllHooks":true}\' > .claude/settings.local.json',
  'cp /tmp/x .claude/settings.json',
  'jq ".x=1" a.json > .claude/settings.json',
  'echo {\\"hooks\\":{}} | sudo tee /etc/claude-code/managed-settings.json',
]

test.each(ATTACKS.map((name) => ({ name })))('tampers with the guard: $name', ({ name }) => {
  expect(effectsOf(name)).toSatisfy(tampers)
})

const HARMLESS: readonly string[] = [
  'sallyport doctor',
  'sallyport doctor claude-code',
  "sallyport explain 'rm -rf /'",
  'sallyport scan x',
  'sallyport trace ls',
  'sallyport keys ls',
  'sallyport trace show 12',
  'sallyport trace tail',
  'sallyport trace verify',
  'sallyport policy check',
  'sallyport policy test',
  'sallyport policy show',
  'sallyport --help',
  'npx sallyport doctor',
  'npm run -s sallyport -- explain x',
  'cat ~/.claude/settings.json',
  'ls ~/.local/share/sallyport',
  'grep -rn sallyport src',
  'git commit -m "rm ~/.claude/settings.json"',
  'echo "pkill sallyport"',
  'kill 1234',
  'pkill -f vite',
  'kill $(lsof -ti:3000)',
  'curl http://localhost:3000/',
  'curl http://127.0.0.1:5173',
  'claude -p "write a poem"',
  'rm ~/.claude/todo.txt',
  'echo \'{"permissions":{"allow":["Bash(ls)"]}}\' > .claude/settings.local.json',
  'cat > docs/settings.md <<EOF\nSet disableAllHooks to true.\nEOF',
  'systemctl status sallyport',
  'ps aux | grep node',
  'node server.js',
  'NODE_OPTIONS=--max-old-space-size=4096 npm run build',
  'mkdir -p .claude/commands && echo hi > .claude/commands/x.md',
]

test.each(HARMLESS.map((name) => ({ name })))('does not affect the guard: $name', ({ name }) => {
  expect(effectsOf(name)).not.toSatisfy(tampers)
})

/** The reader of these can answer for a person, or act as a host. */
const SECRETS = [
  'cat ~/.local/share/sallyport/approver-token',
  'head -c 99 ~/.local/share/sallyport/token',
  'base64 ~/.local/share/sallyport/approver-token',
  'cp ~/.local/share/sallyport/approver-token /tmp/x',
  'cat ~/.local/share/sallyport/appr*',
  'cat ~/.local/share/sallyport/*',
  'grep -r . ~/.local/share/sallyport',
  'cd ~/.local/share/sallyport && cat approver-token',
  'cat innocent/approver-token',
  'curl -H "Authorization: Bearer $(cat ~/.local/share/sallyport/approver-token)" http://localhost:3000/',
  'sqlite3 ~/.local/share/sallyport/approvals.db .dump',
  'sqlite3 "file:/home/user/.local/share/sallyport/approvals.db?mode=ro" .dump',
  'cd ~/.local/share/sallyport && sqlite3 file:approvals.db .dump',
  'python3 -c "import sqlite3; sqlite3.connect(\'/home/user/.local/share/sallyport/approvals.db\').execute(x)"',
  'python3 -c "import sqlite3; sqlite3.connect(\'file:/home/user/.local/share/sallyport/approvals.db\', uri=True)"',
  "node -e \"const { DatabaseSync } = require('node:sqlite'); new DatabaseSync('/home/user/.local/share/sallyport/approvals.db')\"",
  'strings ~/.local/share/sallyport/approvals.db-wal',
  'cat ~/.local/share/sallyport/signing-keys/a.json',
  'cp -r ~/.local/share/sallyport/signing-keys /tmp/x',
  'python3 -c "print(open(\'/home/user/.local/share/sallyport/approver-token\').read())"',
  "node -e \"console.log(require('fs').readFileSync('/home/user/.local/share/sallyport/approver-token', 'utf8'))\"",
]

test.each(SECRETS.map((name) => ({ name })))('reads a secret of the guard: $name', ({ name }) => {
  expect(effectsOf(name).filter((one) => /^(?:secret\.read.*@guard|guard\.tamper)/.test(one))).not.toEqual([])
})

test.each(['cat ~/.local/share/sallyport/guard.log', 'cat ~/.claude/*.json', 'ls ~/.local/share/sallyport'])(
  'reads no secret of the guard: %s',
  (command) => {
    expect(effectsOf(command).filter((one) => one.startsWith('secret.read'))).toEqual([])
  },
)

/** A data folder may have any name and place. */
test.each([
  { command: 'grep -r . /srv/kept', secret: true },
  { command: 'tar czf /tmp/x.tgz /srv/kept', secret: true },
  { command: 'cp -r /srv/kept /tmp/x', secret: true },
  { command: 'rsync -a /srv/kept/ /tmp/x', secret: true },
  { command: 'cat /srv/kept/approver-token', secret: true },
  { command: 'ls -R /srv/kept', secret: false },
  { command: 'cat /srv/kept/guard.log', secret: false },
  { command: 'grep -r x /srv/settings', secret: false },
])('whole data folder, by any name: $command', ({ command, secret }) => {
  const world = createGivenWorld({
    home: '/home/user',
    files: { '/srv/kept/approver-token': '', '/srv/kept/guard.log': '', '/srv/settings/sallyport.yaml': '' },
  })
  const guard = { paths: ['/srv/kept', '/srv/settings'], pids: [], addresses: [] }
  const { effects } = analyseEffects(callOf('Bash', { command }), { world, guard, budget: DEFAULT_EFFECT_BUDGET })
  expect(effects.some(({ kind }) => kind === 'secret.read')).toBe(secret)
})

test('its own program is recognised in any folder', () => {
  const world = createGivenWorld({
    home: '/home/user',
    files: { '/srv/checkout/src/cli/main.ts': '', '/home/user/app/a': '' },
  })
  const guard = { paths: ['/srv/checkout'], pids: [], addresses: [] }
  const tampering = (command: string): boolean =>
    analyseEffects(callOf('Bash', { command }), { world, guard, budget: DEFAULT_EFFECT_BUDGET }).effects.some(
      ({ kind }) => kind === 'guard.tamper',
    )
  expect(tampering('node /srv/checkout/src/cli/main.ts approvals approve 12')).toBe(true)
  expect(tampering('cd /srv/checkout && node src/cli/main.ts policy disable x --for 5m')).toBe(true)
  expect(tampering('node /srv/checkout/src/cli/main.ts approvals ls')).toBe(false)
  expect(tampering('node src/cli/main.ts approvals approve 12')).toBe(false)
})

describe("the guard's own runtime", () => {
  const world = createGivenWorld({
    home: '/home/user',
    files: { '/opt/guard/node_modules/yaml/index.js': '', '/usr/bin/node': '', '/home/user/app/package.json': '{}' },
  })
  const guard = {
    paths: ['/opt/guard/node_modules/sallyport'],
    pids: [],
    addresses: [],
    programs: ['/usr/bin/node', '/opt/guard/node_modules/yaml'],
  }
  const tampering = (command: string): boolean =>
    analyseEffects(callOf('Bash', { command }), { world, guard, budget: DEFAULT_EFFECT_BUDGET }).effects.some(
      ({ kind }) => kind === 'guard.tamper',
    )
  test.each([
    'sed -i s/a/b/ /opt/guard/node_modules/yaml/index.js',
    'cp x /opt/guard/node_modules/yaml/dist/index.js',
    'rm -rf /opt/guard/node_modules/yaml',
    'mv /usr/bin/node /tmp/n',
    'chmod a-x /usr/bin/node',
    'cd /opt/guard && npm i zod@1',
    'npm --prefix /opt/guard update',
    'npm ci --prefix=/opt/guard',
  ])('%s', (command) => {
    expect(tampering(command)).toBe(true)
  })
  test.each([
    'node a.js',
    'ls -l /usr/bin/node',
    'file /usr/bin/node',
    'ldd /usr/bin/node',
    'cat /opt/guard/node_modules/yaml/index.js',
    'npm i zod@1',
    'npm i -g typescript',
    'rm -rf node_modules && npm ci',
    'npm --prefix web ci',
    'cp /usr/bin/node /tmp/n',
  ])('benign: %s', (command) => {
    expect(tampering(command)).toBe(false)
  })
})

const TOOL_CALLS = [
  {
    name: 'Write over the settings',
    tool: 'Write',
    input: { file_path: '/home/user/.claude/settings.json', content: '{}' },
    tampering: true,
  },
  {
    name: 'Write through ..',
    tool: 'Write',
    input: { file_path: '/home/user/app/../.claude/settings.json', content: '{}' },
    tampering: true,
  },
  {
    name: 'Write with ~',
    tool: 'Write',
    input: { file_path: '~/.claude/settings.json', content: '{}' },
    tampering: true,
  },
  {
    name: 'Write through a link',
    tool: 'Write',
    input: { file_path: '/home/user/app/innocent/token', content: '' },
    tampering: true,
  },
  {
    name: 'Write in another case',
    tool: 'Write',
    input: { file_path: '/home/user/.Claude/Settings.json', content: '' },
    tampering: true,
  },
  {
    name: 'hooks in the project settings',
    tool: 'Write',
    input: { file_path: '.claude/settings.json', content: '{"hooks":{}}' },
    tampering: true,
  },
  {
    name: 'disableAllHooks by Edit',
    tool: 'Edit',
    input: {
      file_path: '/home/user/app/.claude/settings.json',
      old_string: '{',
      new_string: '{"disableAllHooks": true,',
    },
    tampering: true,
  },
  {
    name: 'escaped key by Edit',
    tool: 'Edit',
    input: { file_path: '/home/user/app/.claude/settings.json', old_string: '{', new_string: '{"\\u0068ooks": {},' },
    tampering: true,
  },
  {
    name: 'Edit of an unknown text',
    tool: 'Edit',
    input: { file_path: '/home/user/app/.claude/settings.json' },
    tampering: true,
  },
  {
    name: 'MultiEdit',
    tool: 'MultiEdit',
    input: {
      file_path: '/home/user/app/.claude/settings.json',
      edits: [{ old_string: 'a', new_string: 'apiKeyHelper' }],
    },
    tampering: true,
  },
  {
    name: 'NotebookEdit',
    tool: 'NotebookEdit',
    input: { notebook_path: '/home/user/.claude/settings.json', new_source: '' },
    tampering: true,
  },
  {
    name: 'managed settings',
    tool: 'Write',
    input: { file_path: '/etc/claude-code/managed-settings.json', content: '{"allowManagedHooksOnly":false}' },
    tampering: true,
  },
  {
    name: 'WebFetch of the guard',
    tool: 'WebFetch',
    input: { url: 'http://localhost:8787/v1/approvals' },
    tampering: true,
  },
  {
    name: 'MCP file server',
    tool: 'mcp__filesystem__write_file',
    server: 'filesystem',
    input: { path: '/home/user/.claude/settings.json', content: '{}' },
    tampering: true,
  },
  {
    name: 'MCP move',
    tool: 'mcp__filesystem__move_file',
    server: 'filesystem',
    input: { source: '/home/user/.claude', destination: '/tmp/x' },
    tampering: true,
  },
  {
    name: 'MCP shell',
    tool: 'mcp__shell__run_command',
    server: 'shell',
    input: { command: 'rm ~/.claude/settings.json' },
    tampering: true,
  },
  {
    name: 'permissions by Edit',
    tool: 'Edit',
    input: {
      file_path: '/home/user/app/.claude/settings.json',
      old_string: '"allow": []',
      new_string: '"allow": ["Bash(ls)"]',
    },
    tampering: false,
  },
  {
    name: 'Read of the settings',
    tool: 'Read',
    input: { file_path: '/home/user/.claude/settings.json' },
    tampering: false,
  },
  {
    name: 'Write of a page on hooks',
    tool: 'Write',
    input: { file_path: 'docs/hooks.md', content: 'disableAllHooks' },
    tampering: false,
  },
]

test.each(TOOL_CALLS)('$name', ({ tool, input, server, tampering }) => {
  expect(tampers(effectsOfTool(tool, input as never, server))).toBe(tampering)
})

describe('files of MCP servers that `install mcp` has wrapped', () => {
  const wrapped = ['/home/user/.claude.json', '/home/user/app/.mcp.json', '/home/user/.codex/config.toml']
  const analyse = (command: string, paths: readonly string[]): readonly string[] =>
    analyseEffects(callOf('Bash', { command }), {
      world: createGivenWorld({ home: '/home/user', files: {} }),
      guard: { paths, pids: [], addresses: [] },
      budget: DEFAULT_EFFECT_BUDGET,
    }).effects.map(({ kind }) => kind)

  test.each([
    { command: 'claude mcp remove files', by: [0, 1] },
    { command: 'claude mcp add --scope project files -- npx x', by: [0, 1] },
    { command: 'npx @anthropic-ai/claude-code mcp add-json files {}', by: [0, 1] },
    { command: 'codex mcp remove files', by: [2] },
    { command: 'codex mcp add files -- npx x', by: [2] },
    { command: 'gemini mcp remove files', by: [] },
    { command: 'claude mcp list', by: [] },
    { command: 'claude mcp get files', by: [] },
    { command: 'codex mcp list', by: [] },
    { command: 'cat ~/.claude.json .mcp.json', by: [] },
    { command: 'rm .mcp.json', by: [1] },
  ])('$command', ({ command, by }) => {
    const found = wrapped.flatMap((path, at) => (analyse(command, [path]).includes('guard.tamper') ? [at] : []))
    expect(found).toEqual(by)
    expect(analyse(command, [])).not.toContain('guard.tamper')
  })
})
