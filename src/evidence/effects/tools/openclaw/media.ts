import type { Target } from '../../../../protocol/evidence.ts'
import { isUrl } from '../../places/hosts.ts'
import { emitRead } from '../file-acts.ts'
import { type ToolUse, placeOfText } from '../tool.ts'
import { pathsFor } from './paths.ts'
import { type TextAt, emitHosts } from './emit-effects.ts'

/** What is in the call itself, or in the host's own store. */
const WITHIN = /^(?:data|buffer|media|attachment|cid):/i

/** Emits that a tool reads files or fetches addresses; with `to`, that it sends them there. */
export const emitMedia = (use: ToolUse, texts: readonly TextAt[], to: readonly Target[] = []): void => {
  for (const [pointer, text] of texts) {
    const source = text.trim()
    if (WITHIN.test(source)) continue
    if (isUrl(source) && !/^file:/i.test(source)) {
      emitHosts(use, 'net.fetch', [[pointer, source]])
      continue
    }
    const place = placeOfText(pointer, text)
    const secrets = pathsFor(source).flatMap((path) => emitRead(use, place, path) ?? [])
    if (secrets.length > 0 && to.length > 0)
      use.engine.emit({ kind: 'secret.send', by: use.tool.name, targets: [...secrets, ...to] }, place)
  }
}

const DIRECTIVE = /^[ \t]*MEDIA:[ \t]*(.+)$/gim
const PICTURE = /!\[[^\]]{0,512}\]\(\s*<?([^)>\n]{1,2048})>?\s*\)/g

/** Files that a text has the host attach: a line `MEDIA:path`, and pictures in Markdown (dist/parse-output). */
export const mediaInText = ([pointer, text]: TextAt): readonly TextAt[] =>
  [...text.matchAll(DIRECTIVE), ...text.matchAll(PICTURE)].map(
    ([, source = '']) => [pointer, source.replace(/^[`"'(]+|[`"')]+$/g, '').trim()] as const,
  )
