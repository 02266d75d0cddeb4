/** The reference for the server: a bare `node:http` server that parses a JSON body and sends it back. */
import { createServer } from 'node:http'

const server = createServer((message, response) => {
  const chunks: Buffer[] = []
  message.on('data', (chunk: Buffer) => chunks.push(chunk))
  message.on('end', () => {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const text = JSON.stringify(value)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(JSON.stringify({ url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }))
})
