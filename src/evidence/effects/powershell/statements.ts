/** One word of a PowerShell command, or a group in brackets that is read as code of its own. */
export interface PsWord {
  readonly text: string
  /** Quoted as a whole: never a parameter or an operator. */
  readonly quoted: boolean
  /** `(…)`, `$(…)`, `{…}` or `@(…)`: the code inside. */
  readonly group?: string
}

/** Commands joined by pipes; the first gives what the next one takes. */
export interface PsPipeline {
  readonly commands: readonly (readonly PsWord[])[]
  /** As written. */
  readonly raw: string
}

const OPEN: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' }

/** Where a quoted text or bracket that starts at `at` ends: the place after its last character. */
const endOf = (code: string, at: number): number => {
  const first = code[at] ?? ''
  if (first === "'" || first === '"') {
    for (let index = at + 1; index < code.length; index++) {
      if (code[index] === '`' && first === '"') index++
      else if (code[index] === first) {
        if (code[index + 1] === first) index++
        else return index + 1
      }
    }
    return code.length
  }
  const stack = [OPEN[first] ?? '']
  for (let index = at + 1; index < code.length; index++) {
    const char = code[index] ?? ''
    if (char === '`') index++
    else if (char === "'" || char === '"') index = endOf(code, index) - 1
    else if (OPEN[char] !== undefined) stack.push(OPEN[char])
    else if (char === stack.at(-1)) {
      stack.pop()
      if (stack.length === 0) return index + 1
    }
  }
  return code.length
}

const unquoted = (text: string): string =>
  text.startsWith("'")
    ? text.slice(1, -1).replaceAll("''", "'")
    : text.slice(1, -1).replaceAll('""', '"').replace(/`(.)/gs, '$1')

const SPACE = /[\s,]/

interface Draft {
  pipelines: PsPipeline[]
  commands: (readonly PsWord[])[]
  words: PsWord[]
  start: number
}

const closeCommand = (draft: Draft): void => {
  if (draft.words.length > 0) draft.commands.push(draft.words)
  draft.words = []
}

const closePipeline = (draft: Draft, code: string, at: number): void => {
  closeCommand(draft)
  if (draft.commands.length > 0)
    draft.pipelines.push({ commands: draft.commands, raw: code.slice(draft.start, at).trim() })
  draft.commands = []
  draft.start = at
}

const bareWord = (code: string, from: number): readonly [text: string, end: number] => {
  let [text, at] = ['', from]
  while (at < code.length) {
    const char = code[at] ?? ''
    if (SPACE.test(char) || /[;|&(){}<>]/.test(char)) break
    if (char === '`') {
      text += code[at + 1] ?? ''
      at += 2
    } else if (char === "'" || char === '"') {
      const end = endOf(code, at)
      text += unquoted(code.slice(at, end))
      at = end
    } else {
      text += char
      at++
    }
  }
  return [text, at]
}

/** Cuts PowerShell code into pipelines, commands and words. Linear in the code, whatever it holds. */
export const psStatements = (code: string): readonly PsPipeline[] => {
  const draft: Draft = { pipelines: [], commands: [], words: [], start: 0 }
  let at = 0
  while (at < code.length) {
    const char = code[at] ?? ''
    if (char === '#' && (at === 0 || /\s/.test(code[at - 1] ?? ''))) {
      while (at < code.length && code[at] !== '\n') at++
    } else if (char === ';' || char === '\n' || code.startsWith('&&', at) || code.startsWith('||', at)) {
      closePipeline(draft, code, at)
      at += char === '&' || char === '|' ? 2 : 1
      draft.start = at
    } else if (char === '|') {
      closeCommand(draft)
      at++
    } else if (SPACE.test(char) || char === ')' || char === '}') at++
    else if (char === '&' || char === '<' || char === '>') {
      draft.words.push({ text: code.startsWith('>>', at) ? '>>' : char, quoted: false })
      at += code.startsWith('>>', at) ? 2 : 1
    } else if (char === '(' || char === '{' || ((char === '$' || char === '@') && /[({]/.test(code[at + 1] ?? ''))) {
      const open = char === '$' || char === '@' ? at + 1 : at
      const end = endOf(code, open)
      draft.words.push({ text: code.slice(at, end), quoted: false, group: code.slice(open + 1, end - 1) })
      at = end
    } else if (char === "'" || char === '"') {
      const end = endOf(code, at)
      draft.words.push({ text: unquoted(code.slice(at, end)), quoted: true })
      at = end
    } else {
      const [text, end] = bareWord(code, at)
      draft.words.push({ text, quoted: false })
      at = Math.max(end, at + 1)
    }
  }
  closePipeline(draft, code, code.length)
  return draft.pipelines
}
