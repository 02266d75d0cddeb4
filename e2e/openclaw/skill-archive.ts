import { crc32 } from 'node:zlib'

const number = (bytes: number, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntLE(value, 0, bytes)
  return buffer
}

/** A zip archive with one file in it, stored as it is (APPNOTE 6.3.10, 4.3.7, 4.3.12 and 4.3.16). */
const zipOf = (name: string, content: Buffer): Buffer => {
  const file = Buffer.from(name)
  const common = Buffer.concat([
    ...[20, 0, 0, 0, 33].map((value) => number(2, value)),
    ...[crc32(content), content.length, content.length].map((value) => number(4, value)),
    ...[file.length, 0].map((value) => number(2, value)),
  ])
  const local = Buffer.concat([number(4, 0x04034b50), common, file, content])
  const rest = Buffer.concat([...[0, 0, 0].map((value) => number(2, value)), number(4, 0), number(4, 0)])
  const central = Buffer.concat([number(4, 0x02014b50), number(2, 20), common, rest, file])
  const end = Buffer.concat([
    number(4, 0x06054b50),
    ...[0, 0, 1, 1].map((value) => number(2, value)),
    number(4, central.length),
    number(4, local.length),
    number(2, 0),
  ])
  return Buffer.concat([local, central, end])
}

/** A skill as an operator uploads it. */
export const skillArchive = (name: string, text: string): Buffer =>
  zipOf('SKILL.md', Buffer.from(`---\nname: ${name}\ndescription: A skill.\n---\n${text}\n`))
