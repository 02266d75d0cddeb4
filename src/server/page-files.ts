import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppResponse } from './request.ts'

const FOLDER = join(import.meta.dirname, 'approvals-page')

/** Files of the page of approvals, by their address. */
const FILES: Readonly<Record<string, readonly [name: string, contentType: string]>> = {
  '/approvals': ['index.html', 'text/html; charset=utf-8'],
  '/approvals/app.js': ['app.js', 'text/javascript; charset=utf-8'],
  '/approvals/style.css': ['style.css', 'text/css; charset=utf-8'],
}

/** What a browser may do with the page: nothing from elsewhere, nothing inline, no frame. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'publickey-credentials-get=(self), publickey-credentials-create=(self)',
  'cache-control': 'no-store',
}

/** A file of the page; `undefined` where there is none at this address. */
export const pageFile = (path: string): AppResponse | undefined => {
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined
  if (file === undefined) return undefined
  const [name, contentType] = file
  return { status: 200, contentType, body: readFileSync(join(FOLDER, name), 'utf8'), headers: HEADERS }
}
