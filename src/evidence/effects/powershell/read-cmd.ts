import type { EffectTrait } from '../../../protocol/evidence.ts'
import type { Place } from '../engine.ts'
import { literal } from '../shell/field.ts'
import type { Frame } from '../shell/frame.ts'
import { EMPTY, type Value, unknown } from '../value.ts'
import { windowsPath } from './windows-path.ts'

/** Cuts `cmd` code at `&`, `&&`, `||`, `|` and line ends, outside of quotes; `^` takes the next character as it is. */
const commandsOf = (code: string): readonly (readonly string[])[] => {
  const found: string[][] = [[]]
  let [word, quoted, open] = ['', false, false]
  const close = (): void => {
    if (open) found.at(-1)?.push(word)
    ;[word, open] = ['', false]
  }
  for (let at = 0; at < code.length; at++) {
    const char = code[at] ?? ''
    if (char === '"') [quoted, open] = [!quoted, true]
    else if (char === '^' && !quoted) {
      word += code[++at] ?? ''
      open = true
    } else if (!quoted && /[&|\n]/.test(char)) {
      close()
      found.push([])
    } else if (!quoted && /[\s,;]/.test(char)) close()
    else {
      if (!quoted && (char === '/' || char === '>') && word !== '' && !/[:\\/.]/.test(word)) close()
      word += char
      open = true
    }
  }
  close()
  return found.filter((words) => words.length > 0)
}

const REMOVES = /^(?:del|erase|rd|rmdir)$/i
const CHANGES = /^(?:copy|xcopy|robocopy|move|ren|rename|mklink|md|mkdir)$/i
const READS = /^(?:type|more|findstr|find)$/i
const SHOWS =
  /^(?:dir|echo|rem|set|cls|ver|vol|title|pause|if|exit|setlocal|endlocal|cd|chdir|tree|where|path|prompt|color)$/i

/** Reads `cmd` code: its own commands, and the programs that stand in the command table. */
export const readCmd = (code: string, frame: Frame, place: Place, by: string): Value => {
  const { engine } = frame
  if (!engine.spendText(code)) return unknown()
  for (const words of commandsOf(code)) {
    if (!engine.spend(1 + words.length)) return unknown()
    const [first = '', ...rest] = words
    const name = first.replace(/^@/, '').replace(/^\(/, '').toLowerCase()
    const flags = rest.filter((word) => /^\/\w/.test(word)).map((word) => word.toLowerCase())
    const paths = rest
      .filter((word) => !/^\/\w/.test(word) && !word.startsWith('>'))
      .map((word) => windowsPath(word, engine, 'entry'))
    const tell = (
      kind: 'fs.delete' | 'fs.write' | 'fs.read' | 'secret.read',
      targets: typeof paths,
      traits: readonly EffectTrait[] = [],
    ): void => {
      if (targets.length > 0) engine.emit({ kind, by: name, targets, traits }, place)
    }
    if (REMOVES.test(name)) {
      const traits: EffectTrait[] = flags.includes('/s') ? ['recursive'] : []
      tell('fs.delete', paths, flags.includes('/f') || flags.includes('/q') ? [...traits, 'force'] : traits)
    } else if (name === 'format')
      engine.emit({ kind: 'device.write', by: name, targets: [{ type: 'resource', name: rest[0] ?? '' }] }, place)
    else if (CHANGES.test(name)) tell('fs.write', paths.slice(-1))
    else if (READS.test(name)) {
      tell('fs.read', paths)
      tell(
        'secret.read',
        paths.filter((one) => one.zone === 'credential' || one.zone === 'dotenv'),
      )
    } else if (/^(?:cd|chdir)$/.test(name)) {
      // Relative paths after it lie elsewhere.
      frame.state.cwds = paths.map((one) => (one.zone === 'unresolved' ? undefined : one.path))
    } else if (/[%!]/.test(name) || name === 'for' || name === 'call')
      for (const kind of ['exec.run', 'unresolved'] as const)
        engine.emit({ kind, by, targets: [{ type: 'unknown', raw: first }] }, place)
    else if (!SHOWS.test(name)) {
      const start = name === 'start' ? rest.filter((word) => !/^\/\w/.test(word)) : [name, ...rest]
      frame.runner.argv(
        start.map(literal),
        { ...frame, depth: frame.depth + 1 },
        { place, environment: new Map(), network: false },
      )
    }
    const at = rest.findIndex((word) => /^>>?(?!&)/.test(word))
    const into = at < 0 ? undefined : (rest[at] ?? '').replace(/^>+/, '') || rest[at + 1]
    if (into !== undefined && !/^nul$/i.test(into)) tell('fs.write', [windowsPath(into, engine, 'content')])
  }
  return EMPTY
}
