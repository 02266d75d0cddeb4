import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { CHAT_RULES } from './chat.ts'

const snowflake = fake('8', 17, 'digits')
const uuid = (seed: number): string =>
  [8, 4, 4, 4, 12].map((length, part) => fake('', length, 'hex', seed + part)).join('-')
const discord = `${btoa(snowflake).replaceAll('=', '')}.${fake('G', 5)}.${fake('', 38, 'url')}`
const teams = `${uuid(1)}@${uuid(9)}/IncomingWebhook/${fake('', 32, 'hex')}/${uuid(5)}`

testRules('chat', CHAT_RULES, {
  'slack-token': {
    found: [
      ['bot_token = "', `xoxb-${fake('2', 11, 'digits')}-${fake('3', 12, 'digits')}-${fake('', 24)}`, '"'],
      `xoxp-${fake('2', 10, 'digits')}-${fake('3', 11, 'digits')}-${fake('4', 11, 'digits')}-${fake('', 32, 'hex')}`,
      fake('xoxe.xoxp-1-', 160),
      fake('xoxe-1-', 140),
    ],
    clean: ['xoxb-not-a-token', 'xoxp-your-token-here', 'xoxe.xoxp-1-SlackAppConfigurationAccessTokenHere'],
  },
  'slack-app-token': {
    found: [`xapp-1-${fake('A', 10, 'upper')}-${fake('5', 12, 'digits')}-${fake('', 64, 'hex')}`],
    clean: ['xapp-1-A000-1-token'],
  },
  'slack-webhook': {
    found: [
      ['https://hooks.slack.com/services/', `${fake('T', 8, 'upper')}/${fake('B', 8, 'upper')}/${fake('', 24)}`, ''],
    ],
    clean: ['https://hooks.slack.com/services/T000/B000/xxxx', 'https://hooks.slack.com/services/your/web/hook'],
  },
  'teams-webhook': {
    found: [['https://corp.webhook.office.com/webhookb2/', teams, '']],
    clean: ['https://corp.webhook.office.com/webhookb2/id'],
  },
  'discord-webhook': {
    found: [['https://discord.com/api/webhooks/', `${snowflake}/${fake('', 68, 'url')}`, '']],
    clean: ['https://discord.com/api/webhooks/id/token'],
  },
  'discord-token': {
    found: [discord, ['client.login("', discord, '")']],
    clean: [`MTAx.${fake('', 6)}.${fake('', 30)}`, `Nzz${fake('', 22)}.${fake('', 6)}.${fake('', 30)}`],
  },
  'telegram-token': {
    found: [
      [`${fake('7', 9, 'digits')}:`, fake('AA', 33, 'url'), ''],
      [`https://api.telegram.org/bot${fake('7', 9, 'digits')}:`, fake('AA', 33, 'url'), '/getMe'],
    ],
    clean: ['12:AA', `x:${fake('AA', 33)}`],
  },
})
