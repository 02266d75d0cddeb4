import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createMemoryStore } from '../stores/memory.ts'
import type { AuditableStore } from '../stores/store.ts'
import { startCheckpoints } from './checkpoint-loop.ts'
import { readCheckpoint, splitNotes } from './checkpoint.ts'
import { toCommand, toFile, toUrl, type Destination } from './destinations.ts'
import { openNote } from './signed-note.ts'
import { openSigningKey, verifierOf } from './signing-key.ts'

let folder: string
let store: AuditableStore
let failures: string[]
const signer = { name: 'test.example/log', privateKey: generateKeyPairSync('ed25519').privateKey }

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-checkpoints-'))
  store = createMemoryStore()
  failures = []
  await store.append({ session: 's', type: 'T', at: 1, body: {} })
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

const loopTo = (destinations: readonly Destination[]) =>
  startCheckpoints({
    store,
    seal: async () => {
      await store.seal(2)
    },
    signer,
    destinations,
    clock: { after: () => () => {} },
    everyMs: 1,
    failed: (to, why) => {
      failures.push(`${to}: ${why}`)
    },
  })

const sizesIn = (text: string): readonly (number | undefined)[] =>
  splitNotes(text).map((note) => readCheckpoint(openNote(note, verifierOf(signer)) ?? '')?.size)

describe('destinations', () => {
  test('a file grows by each checkpoint, and by none while nothing happens', async () => {
    const path = join(folder, 'checkpoints')
    const loop = loopTo([toFile(path)])
    await loop.now()
    await loop.now()
    await store.append({ session: 's', type: 'T', at: 3, body: {} })
    await loop.stop()
    expect(sizesIn(readFileSync(path, 'utf8'))).toEqual([2, 3])
    expect(failures).toEqual([])
  })

  test('a program gets it on standard input', async () => {
    const path = join(folder, 'received')
    await loopTo([toCommand(['sh', '-c', 'cat > "$0"', path])]).now()
    expect(sizesIn(readFileSync(path, 'utf8'))).toEqual([2])
  })

  describe('an address', () => {
    let server: Server
    let received: string[]
    let status: number
    beforeEach(async () => {
      received = []
      status = 200
      server = createServer((request, response) => {
        let body = ''
        request.on('data', (chunk: Buffer) => (body += chunk.toString()))
        request.on('end', () => {
          received.push(body)
          response.writeHead(status, { location: '/elsewhere' }).end()
        })
      })
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve)
      })
    })
    afterEach(() => {
      server.close()
    })
    const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/log?token=abc`

    test('gets it by POST', async () => {
      await loopTo([toUrl(url())]).now()
      expect(sizesIn(received.join(''))).toEqual([2])
    })

    test.each([500, 404, 302])('that answers %i has not received it, and gets it again', async (refusal) => {
      const loop = loopTo([toUrl(url())])
      status = refusal
      await loop.now()
      expect(failures).toHaveLength(1)
      // Other parts of the address may be secret.
      expect(failures[0]).not.toContain('abc')
      status = 200
      await loop.now()
      expect(sizesIn(received.at(-1) ?? '')).toEqual([2])
      expect(failures).toHaveLength(1)
    })
  })

  test.each([
    { name: 'a program that fails', destination: toCommand(['sh', '-c', 'echo no room >&2; exit 3']), why: 'no room' },
    { name: 'a program that is not there', destination: toCommand(['/nonexistent/program']), why: 'ENOENT' },
    { name: 'a file that cannot be written', destination: toFile('/nonexistent/file'), why: 'ENOENT' },
    { name: 'an address without a server', destination: toUrl('http://127.0.0.1:1/'), why: 'fetch failed' },
  ])('$name is reported, and does not delay the others', async ({ destination, why }) => {
    const path = join(folder, 'checkpoints')
    await loopTo([destination, toFile(path)]).now()
    expect(failures).toEqual([expect.stringContaining(why)])
    expect(sizesIn(readFileSync(path, 'utf8'))).toEqual([2])
  })
})

test('the signing key is generated once, and names the log', () => {
  const path = join(folder, 'checkpoint.key')
  const made = openSigningKey(path, undefined)
  expect(made.name).toMatch(/^sallyport\/[0-9a-f]{16}$/)
  expect(openSigningKey(path, undefined).name).toBe(made.name)
  expect(openSigningKey(path, 'example.com/log').name).toBe('example.com/log')
})
