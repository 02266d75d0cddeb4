import type { Host } from './host.ts'

/** Names that are worth imitating; a look-alike of any other is merely another name. */
const WELL_KNOWN = new Set(
  'github gitlab google gmail microsoft outlook office apple icloud paypal amazon aws netflix facebook instagram linkedin dropbox docker cloudflare npmjs pypi anthropic openai slack stripe coinbase binance wellsfargo chase revolut wikipedia mozilla oracle salesforce adobe atlassian bitbucket digitalocean heroku vercel netlify huggingface telegram whatsapp discord twitter youtube yahoo'.split(
    ' ',
  ),
)

/** Signs that look like others in most fonts: `paypaI`, `g00gle`, `rnicrosoft`, `vvellsfargo`. */
const asSeen = (label: string): string =>
  label
    .replaceAll('I', 'l')
    .toLowerCase()
    .replaceAll('0', 'o')
    .replaceAll(/[1|]/g, 'l')
    .replaceAll('5', 's')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/**
 * The well-known name that a domain in Latin letters imitates.
 * @param written the host as written, since only that shows a capital I for a small l
 */
export const imitates = (written: string, { domain }: Host): string | undefined => {
  const label = domain.split('.')[0] ?? ''
  if (label === '' || WELL_KNOWN.has(label)) return undefined
  const from = written.toLowerCase().lastIndexOf(label)
  const seen = from === -1 ? label : written.slice(from, from + label.length)
  const shown = asSeen(seen === seen.toUpperCase() ? label : seen)
  return shown !== label && WELL_KNOWN.has(shown) ? shown : undefined
}
