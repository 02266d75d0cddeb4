import type { Host } from './host.ts'

/** Public services that are used to exfiltrate data or to hide the target of a link. Short and incomplete. */
export type ServiceKind = 'url-shortener' | 'paste-host' | 'collector-host'

const TABLE: Readonly<Record<ServiceKind, string>> = {
  'url-shortener': 'bit.ly tinyurl.com t.ly is.gd v.gd ow.ly cutt.ly rb.gy shorturl.at rebrand.ly tiny.cc bl.ink s.id',
  'paste-host':
    'pastebin.com paste.ee hastebin.com dpaste.com dpaste.org ghostbin.com rentry.co ix.io sprunge.us termbin.com 0x0.st transfer.sh file.io controlc.com paste.rs p.ip.fi temp.sh catbox.moe anonfiles.com gofile.io bashupload.com oshi.at',
  'collector-host':
    'webhook.site requestbin.com requestbin.net pipedream.net requestcatcher.com hookbin.com beeceptor.com postb.in requestrepo.com interact.sh oast.fun oast.live oast.me oast.online oast.pro oast.site burpcollaborator.net oastify.com canarytokens.com dnslog.cn ceye.io ngrok.io ngrok.app ngrok-free.app ngrok-free.dev trycloudflare.com loca.lt serveo.net localhost.run lhr.life bore.pub playit.gg webhook.cool hookdeck.com smee.io',
}

const KINDS: ReadonlyMap<string, ServiceKind> = new Map(
  (Object.keys(TABLE) as ServiceKind[]).flatMap((kind) =>
    TABLE[kind].split(' ').map((domain) => [domain, kind] as const),
  ),
)

/** The kind of service of a host, if listed; also for customers' names below it. */
export const serviceOf = ({ name }: Host): ServiceKind | undefined => {
  for (let rest = name; rest.includes('.'); rest = rest.slice(rest.indexOf('.') + 1)) {
    const kind = KINDS.get(rest)
    if (kind !== undefined) return kind
  }
  return undefined
}

/** Domains for secrets of a type, if not the word that the type begins with. */
const HOMES: Readonly<Record<string, string>> = {
  aws: 'amazonaws',
  google: 'google',
  azure: 'windows azure microsoft',
  npm: 'npmjs',
  pypi: 'pypi pythonhosted',
  teams: 'office microsoft',
  openai: 'openai',
  model: 'openai anthropic google',
  sonar: 'sonar',
  wandb: 'wandb',
  xai: 'x.ai',
  alibaba: 'aliyun alibaba',
  cisco: 'meraki cisco',
  huggingface: 'huggingface hf.co',
  twitter: 'twitter x.com',
  newrelic: 'newrelic nr-data',
  twilio: 'twilio',
  together: 'together',
  node: 'infura alchemy quiknode',
  sidekiq: 'contribsys',
  teamcity: 'teamcity jetbrains',
}

/** Types of secrets that name no service, or that web pages normally pass on in links. */
const OF_NO_SERVICE =
  /^(?:password|secret|secret-flag|jwt|basic-auth|bearer-token|authorization-header|url-password|curl-password|database-url|kubernetes-secret|command-password|stored-secret|netrc-password|docker-auth|terraform-state-secret|.*-client-id)$/

/** Whether a secret of this type does not belong in a URL of this host: it belongs to another service. */
export const isForeignSecret = (type: string, { domain, name }: Host): boolean => {
  if (OF_NO_SERVICE.test(type)) return false
  const service = type.split('-')[0] ?? type
  const homes = (HOMES[service] ?? service).split(' ')
  return !homes.some((home) => (domain === '' ? name : domain).includes(home))
}
