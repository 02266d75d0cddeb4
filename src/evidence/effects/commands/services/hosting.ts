import type { ServiceRow } from './service.ts'

/** Programs of names, edges and payments: what they change, others see at once. */
export const HOSTING: readonly ServiceRow[] = [
  {
    names: ['stripe'],
    values: ['-d', '--data', '--api-key', '-i', '--live'],
    lines: [
      [
        'pay',
        `refunds|payouts|transfers|charges|topups create, payment_intents create|confirm|capture, invoices
          pay|finalize_invoice|send_invoice, subscriptions create, checkout sessions create, payouts reverse`,
      ],
      ['pay', 'post /v1/refunds|/v1/payouts|/v1/transfers|/v1/charges|/v1/topups|/v1/payment_intents'],
      ['destroy', '* cancel|void_invoice|detach, logout'],
      ['change', '* create|update, post, trigger|fixtures, listen'],
    ],
    examples: [
      ['stripe refunds create --charge=ch_1', 'money.move'],
      ['stripe customers delete cus_1', 'cloud.destroy+all'],
      ['stripe customers list'],
    ],
  },
  {
    names: ['paypal', 'braintree', 'square', 'paddle', 'wise', 'adyen'],
    lines: [
      [
        'pay',
        `payouts|payments|refunds|transfers|charges create|send|capture|execute,
          pay|send|transfer|refund|charge|payout`,
      ],
      ['destroy', '* cancel'],
      ['change', '* create|update'],
    ],
    examples: [['paypal payouts create', 'money.move'], ['square customers list']],
  },
  {
    names: ['wrangler', 'cloudflared', 'flarectl', 'cf-terraforming'],
    values: ['--name', '--env', '-e', '-c', '--config', '--zone', '--binding', '--namespace-id'],
    lines: [
      ['destroy', 'secret bulk, tunnel cleanup'],
      ['keep', 'secret put, pages secret put'],
      ['open', 'tunnel run, tunnel --url|--token|--hello-world'],
      [
        'change',
        `deploy|publish|rollback, pages deploy, dns create|update|create-or-update, tunnel create|route, d1
          execute|create|migrations, r2 bucket create, kv namespace create, zone create`,
      ],
    ],
    examples: [
      ['wrangler delete', 'cloud.destroy+all'],
      ['wrangler d1 delete db', 'cloud.destroy+all'],
      ['wrangler secret put A', 'secret.write'],
      ['wrangler deploy', 'cloud.change'],
      ['wrangler tail'],
      ['cloudflared tunnel --url http://localhost:3000', 'net.listen+public'],
      ['cloudflared tunnel list'],
    ],
  },
  {
    names: ['twilio', 'sendgrid', 'mailgun', 'slack', 'telegram-send', 'ntfy'],
    lines: [['send', '*']],
    examples: [['twilio api:core:messages:create --to +1', 'net.send'], ['slack']],
  },
]
