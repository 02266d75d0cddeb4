/** A server of the registry, as it is installed and started for its definitions. */
export interface ServerPin {
  readonly name: string
  readonly version: string
  readonly args?: readonly string[]
  /** Made-up keys without which it does not start. */
  readonly env?: Readonly<Record<string, string>>
  /** Files it wants in its home, by their name there. */
  readonly files?: Readonly<Record<string, string>>
}

const MADE_UP = 'made-up'

const OAUTH_KEYS = JSON.stringify({
  installed: { client_id: MADE_UP, client_secret: MADE_UP, redirect_uris: ['http://localhost'] },
})

/** Servers whose definitions are measured; a new one is one row here and one in a table of labels. */
export const SERVERS: readonly ServerPin[] = [
  { name: '@modelcontextprotocol/server-filesystem', version: '2026.8.31' },
  { name: '@modelcontextprotocol/server-memory', version: '2026.8.31' },
  { name: '@modelcontextprotocol/server-everything', version: '2026.8.31' },
  { name: '@modelcontextprotocol/server-github', version: '2025.4.8' },
  { name: '@modelcontextprotocol/server-gitlab', version: '2025.4.25', env: { GITLAB_PERSONAL_ACCESS_TOKEN: MADE_UP } },
  {
    name: '@modelcontextprotocol/server-slack',
    version: '2025.4.25',
    env: { SLACK_BOT_TOKEN: MADE_UP, SLACK_TEAM_ID: MADE_UP },
  },
  { name: '@modelcontextprotocol/server-google-maps', version: '0.6.2', env: { GOOGLE_MAPS_API_KEY: MADE_UP } },
  { name: '@modelcontextprotocol/server-puppeteer', version: '2025.5.12' },
  { name: '@modelcontextprotocol/server-sequential-thinking', version: '2026.8.31' },
  { name: '@playwright/mcp', version: '0.0.83', args: ['--caps=vision,pdf,testing,tracing,storage,network,devtools'] },
  { name: 'chrome-devtools-mcp', version: '1.11.0' },
  { name: '@stripe/mcp', version: '0.2.5', args: ['--tools=all', `--api-key=${['sk', 'test', MADE_UP].join('_')}`] },
  { name: '@notionhq/notion-mcp-server', version: '2.5.2' },
  { name: '@upstash/context7-mcp', version: '4.1.1' },
  { name: 'firecrawl-mcp', version: '3.22.2' },
  { name: 'exa-mcp-server', version: '3.4.1' },
  { name: 'tavily-mcp', version: '0.2.22' },
  { name: '@sentry/mcp-server', version: '0.36.0', args: [`--access-token=${MADE_UP}`] },
  { name: '@wonderwhy-er/desktop-commander', version: '0.2.52' },
  { name: 'mongodb-mcp-server', version: '3.0.4' },
  {
    name: '@elastic/mcp-server-elasticsearch',
    version: '0.3.1',
    env: { ES_URL: 'http://127.0.0.1:9200', ES_API_KEY: MADE_UP },
  },
  { name: '@hubspot/mcp-server', version: '0.4.0', env: { PRIVATE_APP_ACCESS_TOKEN: `pat-${MADE_UP}` } },
  { name: 'figma-developer-mcp', version: '0.13.2', args: ['--stdio', `--figma-api-key=${MADE_UP}`] },
  { name: '@brave/brave-search-mcp-server', version: '2.1.4', env: { BRAVE_API_KEY: MADE_UP } },
  { name: '@circleci/mcp-server-circleci', version: '0.20.0' },
  { name: 'square-mcp-server', version: '0.1.2' },
  { name: 'mcp-server-kubernetes', version: '4.1.7' },
  {
    name: '@gongrzhe/server-gmail-autoauth-mcp',
    version: '1.1.11',
    files: { '.gmail-mcp/gcp-oauth.keys.json': OAUTH_KEYS },
  },
  {
    name: '@cocal/google-calendar-mcp',
    version: '2.6.3',
    env: { GOOGLE_OAUTH_CREDENTIALS: 'keys.json' },
    files: { 'keys.json': OAUTH_KEYS },
  },
  {
    name: '@zereight/mcp-gitlab',
    version: '2.1.64',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: MADE_UP, GITLAB_API_URL: 'https://gitlab.example/api/v4' },
  },
  { name: '@aashari/mcp-server-atlassian-jira', version: '3.3.0' },
  { name: '@cyanheads/git-mcp-server', version: '2.15.3' },
  { name: '@tacticlaunch/mcp-linear', version: '1.4.3', env: { LINEAR_API_TOKEN: MADE_UP } },
  { name: '@roychri/mcp-server-asana', version: '1.8.0', env: { ASANA_ACCESS_TOKEN: MADE_UP } },
  { name: 'airtable-mcp-server', version: '1.14.0', env: { AIRTABLE_API_KEY: `pat-${MADE_UP}` } },
  { name: '@executeautomation/playwright-mcp-server', version: '1.0.12' },
  { name: '@netlify/mcp', version: '1.15.1' },
  { name: '@launchdarkly/mcp-server', version: '0.6.2', args: ['start', `--api-key=${MADE_UP}`] },
  { name: '@softeria/ms-365-mcp-server', version: '0.155.0', args: ['--org-mode'] },
  {
    name: '@line/line-bot-mcp-server',
    version: '0.4.2',
    env: { CHANNEL_ACCESS_TOKEN: MADE_UP, DESTINATION_USER_ID: MADE_UP },
  },
  { name: '@mapbox/mcp-server', version: '0.2.0' },
  { name: '@codacy/codacy-mcp', version: '0.5.9', env: { CODACY_ACCOUNT_TOKEN: MADE_UP } },
  { name: '@antv/mcp-server-chart', version: '0.9.10' },
  { name: '@bitwarden/mcp-server', version: '2026.7.0' },
  { name: 'mcp-server-commands', version: '0.5.0' },
  { name: '@tsmztech/mcp-server-salesforce', version: '0.0.6' },
  { name: 'n8n-mcp', version: '2.87.0' },
  { name: 'ssh-mcp', version: '2.11.0' },
  { name: '@pinecone-database/mcp', version: '0.3.0' },
  { name: '@digitalocean/mcp', version: '1.0.70', env: { DIGITALOCEAN_API_TOKEN: MADE_UP } },
  {
    name: '@xeroapi/xero-mcp-server',
    version: '0.0.17',
    env: { XERO_CLIENT_ID: MADE_UP, XERO_CLIENT_SECRET: MADE_UP },
  },
  { name: '@delorenj/mcp-server-trello', version: '1.8.1', env: { TRELLO_API_KEY: MADE_UP, TRELLO_TOKEN: MADE_UP } },
  { name: 'hyperbrowser-mcp', version: '1.0.25' },
  { name: 'task-master-ai', version: '0.43.1' },
  { name: '@postman/postman-mcp-server', version: '2.13.0', args: ['--full'], env: { POSTMAN_API_KEY: MADE_UP } },
  { name: '@larksuiteoapi/lark-mcp', version: '0.5.1', args: ['mcp', '-a', 'cli_madeup', '-s', MADE_UP] },
  { name: '@mondaydotcomorg/monday-api-mcp', version: '3.3.0', args: ['-t', MADE_UP] },
  { name: 'webflow-mcp-server', version: '1.0.0', env: { WEBFLOW_TOKEN: MADE_UP } },
  { name: '@browsermcp/mcp', version: '0.1.3' },
  {
    name: '@llmindset/mcp-miro',
    version: '0.1.1',
    args: ['--token', MADE_UP],
    env: { 'MIRO-OAUTH-KEY': MADE_UP, MIRO_OAUTH_KEY: MADE_UP },
  },
  {
    name: '@translated/lara-mcp',
    version: '1.0.6',
    env: { LARA_ACCESS_KEY_ID: MADE_UP, LARA_ACCESS_KEY_SECRET: MADE_UP },
  },
  { name: '@niledatabase/nile-mcp-server', version: '1.4.0', env: { NILE_API_KEY: MADE_UP, NILE_WORKSPACE_SLUG: 'w' } },
  { name: '@modelcontextprotocol/server-everart', version: '0.6.2', env: { EVERART_API_KEY: MADE_UP } },
  {
    name: '@jarahkon/hass-mcp-server',
    version: '1.0.10',
    env: { HASS_URL: 'http://127.0.0.1:8123', HASS_TOKEN: MADE_UP, HA_URL: 'http://127.0.0.1:8123', HA_TOKEN: MADE_UP },
  },
]

/** The name that a person would give the server in a host's settings. */
export const shortName = (name: string): string => {
  const [scope, last] = name.startsWith('@') ? name.slice(1).split('/') : [undefined, name]
  const bare = (last ?? '')
    .replace(/^(?:mcp-)?server-|^mcp-|-mcp-server$|-mcp$|^mcp$/g, '')
    .replace(/^server$|-mcp-server$/g, '')
  return bare === '' ? (scope ?? name) : bare
}
