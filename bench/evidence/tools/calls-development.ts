import type { WrittenCall } from './written-call.ts'

/** Calls of tools of the development half. */
export const DEVELOPMENT_CALLS: readonly WrittenCall[] = [
  ['playwright playwright_iframe_fill', { iframeSelector: '#pay', selector: '#name', value: 'Anna' }, ''],
  ['playwright playwright_navigate', { url: 'https://shop.example/cart', headless: true }, 'host=shop.example'],
  ['playwright playwright_upload_file', { selector: 'input', filePath: '/home/user/cv.pdf' }, 'path=/home/user/cv.pdf'],
  ['playwright playwright_post', { url: 'https://api.firm.example/v1/x', value: '{"a":1}' }, 'host=api.firm.example'],
  ['playwright playwright_press_key', { key: 'Enter', selector: '#go' }, ''],
  [
    'playwright playwright_save_as_pdf',
    { outputPath: '/tmp/out', filename: 'page.pdf' },
    'path=/tmp/out path=page.pdf',
  ],
  ['playwright browser_cookie_list', { domain: 'shop.example', path: '/' }, 'host?=shop.example path?=/'],
  [
    'playwright browser_file_upload',
    { paths: ['/home/user/a.png', '/home/user/b.png'] },
    'path=/home/user/a.png path=/home/user/b.png',
  ],
  ['playwright browser_snapshot', { target: 'e12', filename: 'snap.md' }, 'path=snap.md'],
  [
    'tavily tavily_map',
    { url: 'docs.firm.example', max_depth: 2, select_paths: ['/api/.*'] },
    'host=docs.firm.example path?=/api/.*',
  ],
  [
    'tavily tavily_search',
    { query: 'tax rate 2026', max_results: 5, include_domains: ['gov.example'] },
    'host?=gov.example',
  ],
  ['exa web_fetch_exa', { urls: ['https://a.example/x', 'https://b.example/'] }, 'host=a.example host=b.example'],
  ['firecrawl firecrawl_scrape', { url: 'https://news.example/today', formats: ['markdown'] }, 'host=news.example'],
  [
    'firecrawl firecrawl_search_feedback',
    { searchId: 's-1', rating: 'good', valuableSources: [{ url: 'https://a.example/x', reason: 'full' }] },
    'host?=a.example',
  ],
  [
    'webflow collections_create',
    { site_id: '65f0a', request: { displayName: 'Posts', singularName: 'Post', slug: 'posts' } },
    '',
  ],
  ['webflow sites_publish', { site_id: '65f0a', customDomains: ['d_1'], publishToWebflowSubdomain: true }, ''],
  [
    'webflow components_update_properties',
    { site_id: '65f0a', component_id: 'c1', localeId: 'de', properties: [{ propertyId: 'p', text: 'Hallo' }] },
    '',
  ],
  [
    'kubernetes install_helm_chart',
    {
      name: 'db',
      chart: 'bitnami/postgresql',
      namespace: 'data',
      repo: 'https://charts.example/stable',
      valuesFile: '/home/user/project/values.yaml',
    },
    'host=charts.example path=/home/user/project/values.yaml',
  ],
  ['kubernetes exec_in_pod', { name: 'web-1', namespace: 'prod', command: ['ls', '/srv'], timeout: 30 }, 'path?=/srv'],
  ['kubernetes kubectl_apply', { filename: './deploy.yaml', namespace: 'prod', dryRun: false }, 'path=./deploy.yaml'],
  ['kubernetes kubectl_logs', { resourceType: 'pod', name: 'web-1', namespace: 'prod', tail: 100, since: '5m' }, ''],
  [
    'monday-api create_workflow',
    { workspaceId: '12', title: 'Onboarding', privacyKind: 'private', ownerIds: ['77'] },
    'recipient?=77',
  ],
  [
    'monday-api create_notification',
    { user_id: '4411', target_id: '9', text: 'Please look', target_type: 'Post' },
    'recipient=4411',
  ],
  [
    'monday-api create_timeline_item',
    { item_id: 3, title: 'Call', summary: 'Went well', phone: '+49 30 901820', url: 'https://meet.example/x' },
    'recipient=+49_30_901820 host=meet.example',
  ],
  ['monday-api move_item_to_group', { itemId: 3, groupId: 'done' }, ''],
  [
    'line-bot push_text_message',
    { userId: 'U4af4980629', message: { type: 'text', text: 'Hello' } },
    'recipient=U4af4980629',
  ],
  ['line-bot broadcast_text_message', { message: { type: 'text', text: 'Sale!' } }, ''],
  ['slack slack_post_message', { channel_id: 'C0123ABC', text: 'Deployed' }, 'channel=C0123ABC'],
  [
    'slack slack_reply_to_thread',
    { channel_id: 'C0123ABC', thread_ts: '1712.0042', text: 'Thanks' },
    'channel=C0123ABC channel=1712.0042',
  ],
  ['slack slack_get_user_profile', { user_id: 'U77' }, 'recipient?=U77'],
  [
    'github create_issue',
    { owner: 'acme', repo: 'web', title: 'Crash', body: 'It crashes', assignees: ['anna'] },
    'recipient=anna',
  ],
  [
    'github push_files',
    { owner: 'acme', repo: 'web', branch: 'main', files: [{ path: 'src/a.ts', content: 'x' }], message: 'Fix' },
    'path?=src/a.ts',
  ],
  ['github fork_repository', { owner: 'acme', repo: 'web', organization: 'other' }, 'recipient?=other account?=other'],
  [
    'filesystem edit_file',
    { path: '/home/user/project/a.ts', edits: [{ oldText: 'a', newText: 'b' }], dryRun: false },
    'path=/home/user/project/a.ts',
  ],
  [
    'filesystem move_file',
    { source: '/home/user/project/a', destination: '/home/user/project/b' },
    'path=/home/user/project/a path=/home/user/project/b',
  ],
  ['filesystem read_multiple_files', { paths: ['a.txt', 'b.txt'] }, 'path=a.txt path=b.txt'],
  [
    'ssh sftp-upload-file',
    { localPath: '/home/user/db.dump', remotePath: '/srv/db.dump', overwrite: true, profile: 'prod' },
    'path=/home/user/db.dump path=/srv/db.dump',
  ],
  ['ssh signal-process', { pid: 4242, signal: 'TERM', profile: 'prod' }, ''],
  [
    'mongodb delete-many',
    { connectionId: 'c1', database: 'shop', collection: 'orders', filter: { state: 'open' } },
    '',
  ],
  [
    'mongodb connect',
    { connectionString: 'mongodb://db.firm.example:27017/shop', connectionName: 'shop' },
    'host=db.firm.example:27017',
  ],
  [
    'xero create-bank-transaction',
    {
      type: 'SPEND',
      bankAccountId: 'ba-1',
      contactId: 'ct-9',
      lineItems: [{ description: 'Paper', quantity: 2, unitAmount: 9.5, accountCode: '420', taxType: 'NONE' }],
      reference: 'R7',
    },
    'account=ba-1 account?=ct-9 amount=9.5 account?=420 amount?=2',
  ],
  [
    'xero create-contact',
    { name: 'Beta Ltd', email: 'pay@beta.example', phone: '+44 20 7946 0958' },
    'recipient=pay@beta.example recipient=+44_20_7946_0958',
  ],
  [
    'xero update-invoice',
    {
      invoiceId: 'inv-3',
      lineItems: [{ description: 'Work', quantity: 1, unitAmount: 1200, accountCode: '200', taxType: 'NONE' }],
      contactId: 'ct-9',
    },
    'amount=1200 account?=ct-9 account?=200 amount?=1 account?=inv-3',
  ],
  [
    'hubspot hubspot-create-engagement',
    { type: 'NOTE', ownerId: 5, associations: { contactIds: [11] }, metadata: { body: 'Called' } },
    '',
  ],
  [
    'airtable upload_attachment',
    {
      baseId: 'app1',
      recordId: 'rec1',
      attachmentFieldIdOrName: 'Files',
      file: 'aGVsbG8=',
      filename: 'a.txt',
      contentType: 'text/plain',
    },
    'path?=a.txt path?=aGVsbG8=',
  ],
  [
    'airtable update_records',
    { baseId: 'app1', tableId: 'tbl1', records: [{ id: 'rec1', fields: { Name: 'B' } }] },
    '',
  ],
  [
    'chrome-devtools lighthouse_audit',
    { pageId: 1, mode: 'navigation', outputDirPath: '/tmp/audit' },
    'path=/tmp/audit',
  ],
  [
    'chrome-devtools evaluate_script',
    { pageId: 1, function: '() => document.title', filePath: '/tmp/out.json' },
    'path=/tmp/out.json',
  ],
  [
    'task-master-ai expand_task',
    { id: '4', num: '5', prompt: 'More detail', file: 'tasks/tasks.json', projectRoot: '/home/user/project' },
    'path=tasks/tasks.json path=/home/user/project',
  ],
  ['hass ha_call_service', { domain: 'lock', service: 'unlock', target: { entity_id: 'lock.front' } }, ''],
]
