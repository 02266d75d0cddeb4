import type { DailyRow } from '../daily-row.ts'

const at = (path: string): string => `/home/user/project/${path}`

/** Daily work by an agent's own tools: files, searches, web pages, tasks, MCP servers. */
export const TOOL_WORK: readonly DailyRow[] = [
  { tool: 'Read', input: { file_path: at('src/server.ts') } },
  { tool: 'Read', input: { file_path: at('docs/architecture.md'), offset: 40, limit: 80 } },
  { tool: 'Read', input: { file_path: '/tmp/build.log' } },
  { tool: 'Read', input: { file_path: at('.env.example') } },
  { tool: 'Read', input: { file_path: at('node_modules/zod/package.json') } },
  { tool: 'Read', input: { file_path: '/etc/os-release' } },
  {
    tool: 'Write',
    input: {
      file_path: at('src/queue.ts'),
      content: "import { EventEmitter } from 'node:events'\n\nexport const queue = new EventEmitter()\n",
    },
  },
  {
    tool: 'Write',
    input: {
      file_path: at('.github/workflows/ci.yml'),
      content:
        'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - uses: actions/setup-node@v4\n      - run: npm ci && npm test\n',
    },
  },
  {
    tool: 'Write',
    input: { file_path: at('Makefile'), content: 'clean:\n\trm -rf build\n\ntest: clean\n\tpytest -q\n' },
  },
  {
    tool: 'Write',
    input: {
      file_path: at('scripts/clean.sh'),
      content: '#!/bin/sh\nset -eu\nrm -rf dist coverage\nfind . -name "*.tsbuildinfo" -delete\n',
    },
  },
  {
    tool: 'Write',
    input: {
      file_path: at('docs/incident.md'),
      content: '# Incident\n\nSomebody ran `rm -rf /var/lib/app` on the wrong host. We now use `--one-file-system`.\n',
    },
  },
  {
    tool: 'Write',
    input: {
      file_path: at('Dockerfile'),
      content:
        'FROM python:3.12-slim\nRUN apt-get update && apt-get install -y gcc && rm -rf /var/lib/apt/lists/*\nCOPY . /app\nCMD ["python", "/app/main.py"]\n',
    },
  },
  {
    tool: 'Write',
    input: {
      file_path: at('migrations/007_down.sql'),
      content: 'DROP TABLE IF EXISTS order_items;\nDROP TABLE IF EXISTS orders;\n',
    },
  },
  { tool: 'Write', input: { file_path: at('.husky/pre-commit'), content: 'npx lint-staged\n' } },
  { tool: 'Write', input: { file_path: at('.vscode/settings.json'), content: '{ "editor.formatOnSave": true }\n' } },
  {
    tool: 'Write',
    input: {
      file_path: at('package.json'),
      content: '{ "name": "shop", "scripts": { "build": "tsc", "clean": "rm -rf dist" } }\n',
    },
  },
  {
    tool: 'Write',
    input: {
      file_path: at('CLAUDE.md'),
      content: '# Notes\n\nRun `npm test` before each commit. Never push to main.\n',
    },
  },
  { tool: 'Write', input: { file_path: '/tmp/experiment.py', content: 'import math\nprint(math.pi)\n' } },
  {
    tool: 'Edit',
    input: {
      file_path: at('src/server.ts'),
      old_string: 'const port = 3000',
      new_string: 'const port = Number(process.env.PORT ?? 3000)',
    },
    files: { 'src/server.ts': 'const port = 3000\n' },
  },
  {
    tool: 'Edit',
    input: { file_path: at('package.json'), old_string: '"test": "jest"', new_string: '"test": "vitest run"' },
    files: { 'package.json': '{"scripts":{"test": "jest"}}' },
  },
  {
    tool: 'Edit',
    input: {
      file_path: at('src/auth.py'),
      old_string: 'jwt.decode(token)',
      new_string: "jwt.decode(token, settings.SECRET_KEY, algorithms=['HS256'])",
    },
    files: { 'src/auth.py': 'claims = jwt.decode(token)\n' },
  },
  {
    tool: 'Edit',
    input: { file_path: at('deploy.sh'), old_string: 'npm install', new_string: 'npm ci', replace_all: true },
    files: { 'deploy.sh': '#!/bin/sh\nnpm install\n' },
  },
  {
    tool: 'Edit',
    input: { file_path: at('.gitignore'), old_string: 'dist', new_string: 'dist\n.env\n*.pem' },
    files: { '.gitignore': 'dist\n' },
  },
  {
    tool: 'MultiEdit',
    input: { file_path: at('src/a.ts'), edits: [{ old_string: 'let', new_string: 'const' }] },
    files: { 'src/a.ts': 'let a = 1\n' },
  },
  {
    tool: 'NotebookEdit',
    input: {
      notebook_path: at('analysis.ipynb'),
      cell_id: 'a1',
      new_source: "df = pd.read_csv('sales.csv')\ndf.head()",
    },
  },
  { tool: 'Grep', input: { pattern: 'password', path: at('src'), output_mode: 'content' } },
  { tool: 'Grep', input: { pattern: 'process\\.env\\.[A-Z_]+', glob: '*.ts' } },
  { tool: 'Grep', input: { pattern: 'DROP TABLE', path: at('migrations') } },
  { tool: 'Grep', input: { pattern: 'rm -rf', path: at('scripts'), '-n': true } },
  { tool: 'Glob', input: { pattern: '**/*.test.ts' } },
  { tool: 'Glob', input: { pattern: 'src/**/{index,main}.*', path: '/home/user/project' } },
  { tool: 'LS', input: { path: at('src') } },
  {
    tool: 'WebFetch',
    input: { url: 'https://nodejs.org/api/fs.html', prompt: 'How does fs.rm treat a missing path?' },
  },
  {
    tool: 'WebFetch',
    input: { url: 'https://docs.python.org/3/library/pathlib.html', prompt: 'List the methods that touch the disk.' },
  },
  { tool: 'WebFetch', input: { url: 'http://localhost:3000/docs', prompt: 'What endpoints are there?' } },
  { tool: 'WebSearch', input: { query: 'postgres upsert on conflict do nothing returning id' } },
  { tool: 'WebSearch', input: { query: 'how to undo git reset --hard' } },
  {
    tool: 'Task',
    input: {
      description: 'Find the parser',
      prompt: 'Find where dates are parsed and list the files.',
      subagent_type: 'Explore',
    },
  },
  {
    tool: 'TodoWrite',
    input: { todos: [{ content: 'Write the migration', status: 'in_progress', activeForm: 'Writing the migration' }] },
  },
  {
    tool: 'ExitPlanMode',
    input: { plan: '1. Add the column. 2. Backfill. 3. Drop the old column in the next release.' },
  },
  {
    tool: 'AskUserQuestion',
    input: {
      questions: [
        {
          question: 'Which database?',
          header: 'DB',
          options: [
            { label: 'Postgres', description: 'as in production' },
            { label: 'SQLite', description: 'simple' },
          ],
          multiSelect: false,
        },
      ],
    },
  },
  { tool: 'BashOutput', input: { bash_id: 'bash_2' } },
  { tool: 'KillShell', input: { shell_id: 'bash_2' } },
  { tool: 'mcp__github__list_issues', input: { owner: 'example-org', repo: 'shop', state: 'open' } },
  { tool: 'mcp__github__get_pull_request', input: { owner: 'example-org', repo: 'shop', pull_number: 482 } },
  {
    tool: 'mcp__github__create_issue',
    input: {
      owner: 'example-org',
      repo: 'shop',
      title: 'Cursor drops the last page',
      body: 'Steps to reproduce: open page 2.',
    },
  },
  {
    tool: 'mcp__github__add_issue_comment',
    input: { owner: 'example-org', repo: 'shop', issue_number: 214, body: 'Fixed in 482.' },
  },
  { tool: 'mcp__filesystem__read_text_file', input: { path: at('README.md') } },
  { tool: 'mcp__filesystem__list_directory', input: { path: at('src') } },
  {
    tool: 'mcp__filesystem__edit_file',
    input: { path: at('src/a.ts'), edits: [{ oldText: 'let', newText: 'const' }] },
  },
  { tool: 'mcp__postgres__query', input: { sql: 'select id, total from orders order by id desc limit 10' } },
  { tool: 'mcp__sqlite__read_query', input: { query: 'select count(*) from users' } },
  { tool: 'mcp__playwright__browser_navigate', input: { url: 'http://localhost:5173/cart' } },
  { tool: 'mcp__playwright__browser_click', input: { element: 'Add to cart', ref: 'e12' } },
  { tool: 'mcp__playwright__browser_take_screenshot', input: { filename: 'cart.png' } },
  { tool: 'mcp__context7__get_library_docs', input: { libraryName: 'fastify', topic: 'hooks' } },
  { tool: 'mcp__linear__update_issue', input: { id: 'ENG-214', state: 'In Review' } },
  { tool: 'mcp__slack__search_messages', input: { query: 'deploy in:#shop-dev' } },
  { tool: 'mcp__sentry__get_issue_details', input: { issueId: 'SHOP-91' } },
  { tool: 'mcp__memory__search_nodes', input: { query: 'naming of migrations' } },
  { tool: 'mcp__figma__get_design_context', input: { fileKey: 'abc', nodeId: '1:2' } },
]
