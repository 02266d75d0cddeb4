import { describe, expect, test } from 'vitest'
import { repositoryFindings, repositoryServers } from './repository-settings.ts'

const settings = (value: object): ReturnType<typeof repositoryFindings> => repositoryFindings(JSON.stringify(value))

describe('settings that a repository brings', () => {
  test.each([
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'NODE_TLS_REJECT_UNAUTHORIZED',
    'CLAUDE_CODE_SHELL_PREFIX',
    'BASH_ENV',
    'PATH',
    'SHELL',
    'ANTHROPIC_BASE_URL',
    'GIT_SSH_COMMAND',
    'https_proxy',
  ])('env.%s needs acceptance', (name) => {
    expect(settings({ env: { [name]: 'x' } }).holds.map(({ description }) => description)).toEqual([
      `env.${name} is set`,
    ])
  })

  test.each([
    'NODE_ENV',
    'PYTHONPATH',
    'JAVA_HOME',
    'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
    'ANTHROPIC_MODEL',
    'GIT_AUTHOR_NAME',
    'DEBUG',
  ])('env.%s is daily work', (name) => {
    expect(settings({ env: { [name]: 'x' } })).toEqual({ holds: [], programs: [] })
  })

  test('a program for credentials needs acceptance', () => {
    expect(settings({ apiKeyHelper: './key.sh' }).holds).toHaveLength(1)
  })

  test('hooks, a status line and servers are reported', () => {
    const { holds, programs } = settings({
      hooks: { PostToolUse: [{ matcher: 'Edit', hooks: [{ type: 'command', command: 'npx prettier --write .' }] }] },
      statusLine: { type: 'command', command: './status.sh' },
      enableAllProjectMcpServers: true,
      enabledMcpjsonServers: ['db'],
    })
    expect(holds).toEqual([])
    expect(programs.map(({ description }) => description)).toEqual([
      'a PostToolUse hook: npx prettier --write .',
      'statusLine: ./status.sh',
      'all MCP servers of .mcp.json are enabled',
      'the MCP server db is enabled',
    ])
    expect(repositoryServers('{"mcpServers":{"db":{"command":"npx","args":["-y","db-mcp"],"env":{"T":"s"}}}}')).toEqual(
      [{ key: expect.any(String), description: 'the MCP server db: npx -y db-mcp' }],
    )
  })

  test('another value is another change', () => {
    const [one] = settings({ env: { PATH: 'a' } }).holds
    const [other] = settings({ env: { PATH: 'b' } }).holds
    expect(one?.key).not.toBe(other?.key)
  })

  test.each([undefined, '', '{', '[]', '{"env":1,"hooks":[1]}'])('%s brings nothing', (text) => {
    expect(repositoryFindings(text)).toEqual({ holds: [], programs: [] })
    expect(repositoryServers(text)).toEqual([])
  })
})
