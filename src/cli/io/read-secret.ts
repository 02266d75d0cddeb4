import type { ReadStream, WriteStream } from 'node:tty'

const ENTER = ['\r', '\n']
const GIVE_UP = ['\u0003', '\u0004']
const BACK = ['\b', '\u007f']
const DELETE_LINE = '\u0015'

/** Most characters of a passphrase. */
const LONGEST = 1_024

/** The typed text after one more character. */
const typed = (text: string, char: string): string => {
  if (BACK.includes(char)) return Array.from(text).slice(0, -1).join('')
  if (char === DELETE_LINE) return ''
  return char < ' ' || text.length >= LONGEST ? text : text + char
}

/** Reads one line from a terminal without echo. @throws Error when the person aborts (Ctrl-C, Ctrl-D) */
export const readSecret = (prompt: string, input: ReadStream, output: WriteStream): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const end = (finish: () => void): void => {
      input.off('data', take)
      input.setRawMode(false)
      input.pause()
      output.write('\n')
      finish()
    }
    const take = (data: Buffer | string): void => {
      for (const char of data.toString()) {
        if (ENTER.includes(char)) {
          end(() => resolve(text))
          return
        }
        if (GIVE_UP.includes(char)) {
          end(() => reject(new Error('cancelled')))
          return
        }
        text = typed(text, char)
      }
    }
    output.write(prompt)
    input.setRawMode(true)
    input.setEncoding('utf8')
    input.on('data', take)
    input.resume()
  })
