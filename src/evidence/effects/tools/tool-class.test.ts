import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SideEffectClass } from '../../../protocol/evidence.ts'
import type { ToolDefinition } from '../../../protocol/step.ts'
import { judgeTool } from './tool-class.ts'

const NONE = new Map<string, SideEffectClass>()

const LETTERS: Readonly<Record<string, SideEffectClass>> = {
  r: 'read_only',
  l: 'local_write',
  w: 'external_write',
  m: 'communication',
  $: 'financial',
  x: 'code_execution',
  p: 'privileged',
}

/** Tools of widely used MCP servers, `name:class` each, the class by its letter above. */
const SERVERS: Readonly<Record<string, string>> = {
  github:
    'get_file_contents:r search_repositories:r search_code:r search_issues:r list_issues:r get_issue:r list_commits:r get_pull_request:r get_pull_request_diff:r list_branches:r get_me:r list_workflow_runs:r get_job_logs:r create_issue:w update_issue:w create_pull_request:w merge_pull_request:w create_branch:w create_repository:w fork_repository:w push_files:w create_or_update_file:w delete_file:w add_issue_comment:m create_pull_request_review:w run_workflow:w star_repository:w dismiss_notification:w list_notifications:r get_secret_scanning_alert:r',
  gitlab:
    'create_merge_request:w list_projects:r get_merge_request_diffs:r create_note:w delete_branch:w retry_pipeline:w cancel_pipeline:w',
  slack:
    'slack_list_channels:r slack_post_message:m slack_reply_to_thread:m slack_add_reaction:w slack_get_channel_history:r slack_get_thread_replies:r slack_get_users:r slack_get_user_profile:r conversations_history:r search_messages:r',
  gmail:
    'send_email:m draft_email:w read_email:r search_emails:r modify_email:m delete_email:w list_email_labels:r create_label:w download_attachment:l reply_to_email:m forward_email:m',
  outlook: 'list_messages:r send_mail:m create_event:w list_events:r reply_all:m',
  calendar: 'list_events:r create_event:w delete_event:w get_freebusy:r update_event:w respond_to_invite:m',
  filesystem:
    'read_file:r read_multiple_files:r write_file:l edit_file:l create_directory:l list_directory:r directory_tree:r move_file:l search_files:r get_file_info:r list_allowed_directories:r delete_file:l',
  git: 'git_status:r git_diff_unstaged:r git_commit:l git_add:l git_reset:l git_log:r git_create_branch:l git_checkout:l git_show:r',
  memory:
    'create_entities:l create_relations:l add_observations:l delete_entities:l read_graph:r search_nodes:r open_nodes:r',
  postgres:
    'query:r list_schemas:r describe_table:r execute_sql:w list_tables:r explain_query:r get_top_queries:r analyze_db_health:r',
  sqlite: 'read_query:r write_query:w create_table:w list_tables:r describe_table:r append_insight:w',
  mongodb:
    'find:r aggregate:w insert_many:w delete_many:w drop_collection:w list_databases:r collection_schema:w count:r update_many:w',
  redis: 'get:r set:w delete:w hget:w list:r flush:w',
  stripe:
    'create_customer:w list_customers:r create_product:w list_products:r create_price:w create_payment_link:$ create_invoice:$ finalize_invoice:$ retrieve_balance:r create_refund:$ list_payment_intents:r cancel_subscription:$ update_subscription:$ search_documentation:r create_coupon:w list_disputes:r',
  paypal:
    'create_order:$ pay_order:$ create_refund:$ list_invoices:r get_order:r list_transactions:r send_invoice:$ create_shipment_tracking:w',
  alpaca:
    'place_stock_order:$ get_account_info:r cancel_all_orders:$ close_position:$ get_positions:r get_stock_quote:r',
  coinbase: 'transfer_funds:$ get_wallet_balance:r trade:$ get_address:r swap_tokens:$',
  notion:
    'search:r retrieve_page:r create_page:w update_page_properties:w append_block_children:w delete_block:w query_database:r create_comment:m retrieve_comments:r list_users:r',
  linear:
    'list_issues:r create_issue:w update_issue:w get_issue:r create_comment:m list_teams:r search_documentation:r list_my_issues:r',
  jira: 'jira_search:r jira_get_issue:r jira_create_issue:w jira_transition_issue:w jira_add_comment:m jira_delete_issue:w jira_get_transitions:r jira_add_worklog:w',
  confluence:
    'confluence_search:r confluence_get_page:r confluence_create_page:w confluence_update_page:w confluence_delete_page:w',
  puppeteer:
    'puppeteer_navigate:w puppeteer_screenshot:r puppeteer_click:w puppeteer_fill:w puppeteer_evaluate:x puppeteer_hover:r',
  playwright:
    'browser_navigate:w browser_click:w browser_type:w browser_snapshot:r browser_take_screenshot:r browser_console_messages:r browser_file_upload:w browser_evaluate:x browser_press_key:w browser_wait_for:r browser_network_requests:r',
  kubernetes:
    'pods_list:r pods_log:r pods_delete:w pods_exec:x resources_create_or_update:w resources_delete:w helm_install:w helm_uninstall:w events_list:r namespaces_list:r kubectl_get:r kubectl_apply:w kubectl_delete:w exec_in_pod:x scale_deployment:w',
  aws: 'list_buckets:r get_object:r put_object:w delete_bucket:w describe_instances:r terminate_instances:w run_instances:x create_access_key:p attach_role_policy:p get_secret_value:p create_user:p invoke_function:x',
  cloudflare:
    'worker_list:r worker_deploy:w kv_put:w kv_delete:w dns_record_create:w zones_list:r r2_bucket_delete:w d1_database_query:r',
  docker:
    'list_containers:r run_container:x stop_container:w remove_container:w container_logs:r build_image:w exec_command:x list_images:r',
  'desktop-commander':
    'execute_command:x read_output:r list_processes:r kill_process:x read_file:r write_file:l start_process:l',
  terminal: 'run_command:x run_shell:x get_output:r',
  python: 'run_python_code:x execute_python:x install_package:w list_variables:r',
  jupyter: 'execute_cell:x insert_cell:w read_notebook:r',
  web: 'fetch:r fetch_html:r search:r web_search:r crawl:r scrape_url:r brave_web_search:r tavily_search:r firecrawl_scrape:r get_weather:r',
  twitter: 'post_tweet:m search_tweets:r get_timeline:r like_tweet:w reply_to_tweet:m send_dm:m follow_user:w',
  whatsapp: 'send_message:m list_chats:r get_last_interaction:r send_file:m download_media:l search_contacts:r',
  twilio: 'send_sms:m make_call:m list_messages:r',
  discord: 'send_message:m read_messages:r add_reaction:w create_channel:w delete_message:w',
  hubspot: 'create_contact:w search_contacts:r update_deal:w list_companies:r send_email:m',
  salesforce: 'query_records:r create_record:w delete_record:w describe_object:r execute_apex_code:x',
  google_drive:
    'search_files:r read_file:r create_file:w share_file:m delete_file:w list_permissions:r create_permission:p upload_file:w export_file:r',
  sentry: 'list_issues:r get_issue_details:r update_issue:w search_events:r find_organizations:r',
  figma: 'get_file:r get_image:r post_comment:m download_images:l',
  vault: 'read_secret:p write_secret:p delete_secret:p list_secrets:r',
  okta: 'list_users:r reset_password:p add_user_to_group:p revoke_tokens:p grant_role:p deactivate_user:p reject_request:w resolve_incident:w resolve_dns:r bulk_delete_users:p suspend_accounts:w unenroll_devices:w',
  context7: 'resolve_library_id:r get_library_docs:r',
  time: 'get_current_time:r convert_time:r',
  sequentialthinking: 'sequentialthinking:r',
  home: 'get_state:r call_service:m turn_on_light:w list_entities:r',
}

const TOOLS = Object.entries(SERVERS).flatMap(([server, tools]) =>
  tools.split(' ').map((one) => {
    const [name = '', letter = ''] = one.split(':')
    return { server, name, expected: LETTERS[letter] }
  }),
)

describe('by name alone', () => {
  test('the table is large', () => {
    expect(TOOLS.length).toBeGreaterThan(250)
  })

  test.each(TOOLS)('$server $name: $expected', ({ server, name, expected }) => {
    expect(judgeTool({ name: `mcp__${server}__${name}`, server }, NONE).sideEffect).toBe(expected)
  })
})

const schema = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})

const SHOWN: readonly {
  readonly name: string
  readonly definition: ToolDefinition
  readonly expected: SideEffectClass
}[] = [
  {
    name: 'weather',
    definition: { description: 'Returns the forecast for a city.', inputSchema: schema('city') },
    expected: 'read_only',
  },
  { name: 'weather', definition: {}, expected: 'external_write' },
  {
    name: 'helper',
    definition: { description: 'Runs any shell command.', inputSchema: schema('command') },
    expected: 'code_execution',
  },
  { name: 'helper', definition: { inputSchema: schema('to', 'subject', 'body') }, expected: 'communication' },
  { name: 'helper', definition: { inputSchema: schema('amount', 'currency') }, expected: 'financial' },
  { name: 'get_report', definition: { description: 'Sends an email with the report.' }, expected: 'communication' },
  {
    name: 'get_report',
    definition: { description: 'Deletes old reports, then lists the rest.' },
    expected: 'external_write',
  },
  { name: 'get_report', definition: { description: 'Lists reports without sending emails.' }, expected: 'read_only' },
  { name: 'get_report', definition: { annotations: { readOnlyHint: false } }, expected: 'external_write' },
  { name: 'get_report', definition: { annotations: { destructiveHint: true } }, expected: 'external_write' },
  { name: 'get_report', definition: { annotations: { readOnlyHint: true } }, expected: 'read_only' },
  { name: 'delete_report', definition: { annotations: { readOnlyHint: true } }, expected: 'external_write' },
  {
    name: 'send_email',
    definition: { description: 'Returns nothing.', annotations: { readOnlyHint: true } },
    expected: 'communication',
  },
  {
    name: 'run_code',
    definition: { annotations: { readOnlyHint: true, destructiveHint: false } },
    expected: 'code_execution',
  },
  { name: 'search_code', definition: { inputSchema: schema('query', 'code') }, expected: 'read_only' },
]

const schemaOfActions = (name: string, ...values: readonly string[]) => ({
  type: 'object',
  properties: { [name]: { type: 'string', enum: values } },
})

const ACTIONS: typeof SHOWN = [
  { name: 'tabs', definition: { description: 'List, open, create or close tabs.' }, expected: 'external_write' },
  { name: 'tabs', definition: { description: 'List, count or filter tabs.' }, expected: 'read_only' },
  {
    name: 'tabs',
    definition: { description: 'Gets tabs.', inputSchema: schemaOfActions('action', 'get', 'close') },
    expected: 'external_write',
  },
  {
    name: 'get_todos',
    definition: { inputSchema: schemaOfActions('action', 'assigned', 'merge') },
    expected: 'read_only',
  },
  {
    name: 'get_todos',
    definition: { inputSchema: schemaOfActions('operation', 'list', 'delete') },
    expected: 'external_write',
  },
  { name: 'search_feedback', definition: { description: 'Send feedback on a search.' }, expected: 'external_write' },
  { name: 'logout_sessions', definition: { description: 'Revoke all sessions' }, expected: 'external_write' },
  { name: 'create_item', definition: { inputSchema: schema('code', 'name') }, expected: 'external_write' },
  { name: 'create_item', definition: { inputSchema: schema('code', 'language') }, expected: 'code_execution' },
  { name: 'get_output', definition: { inputSchema: schema('command') }, expected: 'code_execution' },
  {
    name: 'take_screenshot',
    definition: { inputSchema: schema('file_path'), annotations: { readOnlyHint: false } },
    expected: 'local_write',
  },
  {
    name: 'crawl_site',
    definition: { annotations: { readOnlyHint: false, destructiveHint: false } },
    expected: 'read_only',
  },
  { name: 'crawl_site', definition: { annotations: { readOnlyHint: false } }, expected: 'external_write' },
  { name: 'get_or_create_label', definition: {}, expected: 'external_write' },
  { name: 'user-services-reader', definition: {}, expected: 'read_only' },
  { name: 'item-services-updater', definition: {}, expected: 'external_write' },
  { name: 'port_forward', definition: {}, expected: 'external_write' },
  { name: 'forward_email', definition: {}, expected: 'communication' },
  { name: 'publish_workflow', definition: {}, expected: 'external_write' },
  { name: 'transfer_folders', definition: {}, expected: 'external_write' },
  { name: 'transfer_usdc', definition: {}, expected: 'financial' },
  { name: 'send_money', definition: {}, expected: 'financial' },
  { name: 'send_payment_reminder', definition: {}, expected: 'communication' },
]

test.each(ACTIONS)('$name as shown $definition is $expected', ({ name, definition, expected }) => {
  expect(judgeTool({ name, server: 's', definition }, NONE).sideEffect).toBe(expected)
})

describe('laws', () => {
  const words = fc.constantFrom(
    'get',
    'list',
    'send',
    'delete',
    'run',
    'pay',
    'map',
    'sync',
    'email',
    'item',
    'x',
    'or',
  )
  const name = fc.array(words, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('_'))
  const told = fc.array(fc.oneof(words, fc.constantFrom('Returns', 'Sends an email', ', ')), { maxLength: 6 })
  const properties = fc.array(fc.constantFrom('to', 'body', 'command', 'amount', 'currency', 'id', 'code'))
  const of = (tool: string, definition: ToolDefinition) => judgeTool({ name: tool, server: 's', definition }, NONE)

  test('a server that swears that its tool only looks changes nothing', () => {
    const oath = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
    fc.assert(
      fc.property(name, told, properties, (tool, parts, names) => {
        const shown = { description: parts.join(' '), inputSchema: schema(...names) }
        expect(of(tool, { ...shown, annotations: oath })).toEqual(of(tool, shown))
      }),
    )
  })

  test('parameters and arguments never make a read of what was none', () => {
    fc.assert(
      fc.property(name, told, properties, (tool, parts, names) => {
        const description = parts.join(' ')
        if (of(tool, { description }).sideEffect === 'read_only') return
        const input = Object.fromEntries(names.map((one) => [one, 'get']))
        expect(of(tool, { description, inputSchema: schema(...names) }).sideEffect).not.toBe('read_only')
        expect(judgeTool({ name: tool, server: 's', definition: { description } }, NONE, input).sideEffect).not.toBe(
          'read_only',
        )
      }),
    )
  })
})

test.each(SHOWN)('$name as shown $definition is $expected', ({ name, definition, expected }) => {
  expect(judgeTool({ name, server: 's', definition }, NONE).sideEffect).toBe(expected)
})

describe('the person’s own word holds', () => {
  const configured = new Map<string, SideEffectClass>([
    ['mcp__x__delete_all', 'read_only'],
    ['mcp__y__*', 'privileged'],
  ])
  const cases = [
    { name: 'mcp__x__delete_all', server: 'x', expected: 'read_only' },
    { name: 'delete_all', server: 'x', expected: 'read_only' },
    { name: 'mcp__y__list', server: 'y', expected: 'privileged' },
    { name: 'mcp__z__list', server: 'z', expected: 'read_only' },
  ]
  test.each(cases)('$name is $expected', ({ name, server, expected }) => {
    expect(judgeTool({ name, server }, configured).sideEffect).toBe(expected)
  })
})
