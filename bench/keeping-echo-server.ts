/**
 * The echo with nothing added but a record: each body is kept in SQLite, hashed onto the one before it, before it is sent
 * back; those that arrive together share a transaction. It looks at nothing and decides nothing: no guard that keeps
 * records in this way can be faster.
 */
import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

interface Waiting {
  readonly text: string
  readonly answer: () => void
}

const db = new DatabaseSync(join(process.argv[2] ?? '.', 'echo.db'))
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE kept (body TEXT, hash TEXT)')
const insert = db.prepare('INSERT INTO kept VALUES (?, ?)')
let queue: Waiting[] = []
let head = ''

const keep = (): void => {
  const batch = queue
  queue = []
  db.exec('BEGIN IMMEDIATE')
  for (const { text } of batch) {
    head = hash('sha256', head + text)
    insert.run(text, head)
  }
  db.exec('COMMIT')
  for (const { answer } of batch) answer()
}

const server = createServer((message, response) => {
  const chunks: Buffer[] = []
  message.on('data', (chunk: Buffer) => chunks.push(chunk))
  message.on('end', () => {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const text = JSON.stringify(value)
    const answer = (): void => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      response.end(text)
    }
    queue.push({ text, answer })
    if (queue.length === 1) setImmediate(keep)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(JSON.stringify({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }))
})
