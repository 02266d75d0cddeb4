import type { Match } from '../detector.ts'

/** A link that runs code when it is followed: `javascript:` and `vbscript:` with something to run, and `data:` pages. */
const SCRIPT =
  /(?:\]\( {0,2}<?|\b(?:href|src|action|formaction|xlink:href) {0,2}= {0,2}["']?)((?:javascript|vbscript):(?! {0,2}(?:void\b|;|\/\/|["')]|history\.|window\.(?:print|close)|$))[^\s"'>)]{1,200}|data:(?:text\/html|application\/xhtml\+xml|image\/svg\+xml)[;,][^\s"'>)]{1,200})/gi

/** Patterns of this file, for the check of their cost. */
export const SCRIPT_PATTERNS: readonly RegExp[] = [SCRIPT]

/** An SVG as an image runs nothing. */
const isHarmless = (link: string, url: string): boolean => /^data:image\/svg/i.test(url) && /^src/i.test(link)

/** Links in Markdown and HTML that run code. */
export const findScriptUrl = (text: string): readonly Match[] => {
  if (!/script:|data:/i.test(text)) return []
  return [...text.matchAll(SCRIPT)].flatMap(({ index, 0: link, 1: url = '' }) => {
    if (isHarmless(link, url)) return []
    const start = index + link.length - url.length
    const type = /^data:/i.test(url) ? 'data-url' : 'script-url'
    const cut = text.charCodeAt(start + url.length - 1)
    const end = start + url.length + (cut >= 0xd800 && cut <= 0xdbff ? 1 : 0)
    return [
      {
        category: 'malicious_url' as const,
        type,
        severity: 'medium' as const,
        confidence: 0.7,
        start,
        end: Math.min(end, text.length),
      },
    ]
  })
}
