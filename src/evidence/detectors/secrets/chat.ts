import type { KeywordRule } from '../rule.ts'
import { LEFT, WORD_RIGHT, tokenRule } from './token-rules.ts'
import { isTokenPlaceholder } from './placeholder.ts'

/** Base64 of the first digits of a Discord user id, which begins every bot token. */
const SNOWFLAKE_STARTS = Array.from('123456789').flatMap((first) =>
  Array.from('0123456789', (second) => btoa(`${first}${second}0`).slice(0, 3).toLowerCase()),
)

const isSnowflake = (base64url: string): boolean => {
  try {
    return /^\d{17,20}$/.test(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return false
  }
}

/** Chat: Slack, Discord, Telegram, Microsoft Teams. */
export const CHAT_RULES: readonly KeywordRule[] = [
  tokenRule({
    type: 'slack-token',
    anchors: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxo-', 'xoxs-', 'xoxr-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.'],
    pattern: String.raw`xox(?:e\.xox[bp]-\d-[A-Za-z0-9]{100,400}|e-\d-[A-Za-z0-9]{100,400}|d-[A-Za-z0-9%/+=]{80,400}|[abcoprs]-(?:\d-)?\d{8,14}-(?:\d{6,14}-){0,3}[A-Za-z0-9]{10,64})`,
    entropy: 2.8,
    right: WORD_RIGHT,
  }),
  tokenRule({
    type: 'slack-app-token',
    anchors: ['xapp-'],
    pattern: String.raw`xapp-\d-[A-Z0-9]{5,20}-\d{6,20}-[a-z0-9]{30,100}`,
  }),
  {
    type: 'slack-webhook',
    severity: 'high',
    confidence: 0.95,
    anchors: ['hooks.slack.com/'],
    pattern: String.raw`hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,100})(?![A-Za-z0-9+/])`,
    ignoreCase: true,
    entropy: 3,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.95),
  },
  {
    type: 'teams-webhook',
    severity: 'high',
    confidence: 0.95,
    anchors: ['.webhook.office.com/webhookb2/'],
    pattern: String.raw`\.webhook\.office\.com/webhookb2/([a-z0-9-]{36}@[a-z0-9-]{36}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36})`,
    ignoreCase: true,
    entropy: 3,
  },
  {
    type: 'discord-webhook',
    severity: 'high',
    confidence: 0.95,
    anchors: ['discord.com/api/', 'discordapp.com/api/'],
    pattern: String.raw`discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(\d{17,20}/[A-Za-z0-9_-]{60,80})(?![A-Za-z0-9_-])`,
    ignoreCase: true,
    entropy: 3.5,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.95),
  },
  {
    type: 'discord-token',
    severity: 'critical',
    confidence: 0.95,
    anchors: SNOWFLAKE_STARTS,
    pattern: String.raw`${LEFT}([MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,40})${WORD_RIGHT}`,
    entropy: 3.5,
    assess: ({ value }) => (isSnowflake(value.slice(0, value.indexOf('.'))) ? 0.95 : undefined),
  },
  {
    type: 'telegram-token',
    severity: 'critical',
    confidence: 0.9,
    anchors: [':aa'],
    pattern: String.raw`(?<=(?<![A-Za-z0-9])(?:bot)?\d{8,10}):(AA[A-Za-z0-9_-]{33})${WORD_RIGHT}`,
    entropy: 3.5,
    assess: ({ value }) => (isTokenPlaceholder(value) ? undefined : 0.9),
  },
]
