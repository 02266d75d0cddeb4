import type { ToolRow, ToolUse } from '../tool.ts'
import { emitMedia } from './media.ts'
import { looks, emitOne, textsAt, thing } from './emit-effects.ts'
import { words } from '../../values/words.ts'

const SOURCES = ['image', 'images', 'video', 'videos', 'audioRef', 'audioRefs', 'path', 'paths', 'pdf', 'pdfs'] as const

/** The input of a generator of pictures, music or speech is sent to a service. */
const generate = (use: ToolUse): void => {
  const service = thing('media service')
  emitOne(use, 'net.send', [service])
  emitMedia(use, textsAt(use, ...SOURCES), [service])
}

/** Tools that analyse files, or generate something from them. */
export const MEDIA_TOOLS: readonly ToolRow[] = [
  {
    names: ['view_image', 'image', 'pdf'],
    sideEffect: 'read_only',
    run: (use) => emitMedia(use, textsAt(use, ...SOURCES)),
    examples: [
      [{ path: 'a.png' }, 'fs.read@workspace'],
      [{ pdf: 'https://docs.example/a.pdf' }, 'net.fetch'],
      [{ paths: ['@~/.ssh/id_rsa'] }, 'fs.read@credential', 'secret.read@credential'],
    ],
  },
  {
    names: ['image_generate', 'music_generate', 'video_generate'],
    sideEffect: 'external_write',
    actions: [looks('list', 'status')],
    run: generate,
    examples: [
      [{ prompt: 'a boat' }, 'net.send'],
      [{ action: 'list' }],
      [
        { prompt: 'a boat', image: '/home/user/.env' },
        ...words('net.send fs.read@dotenv secret.read@dotenv secret.send@dotenv'),
      ],
    ],
  },
  { names: ['tts'], sideEffect: 'external_write', run: generate, examples: [[{ text: 'Hello' }, 'net.send']] },
]
