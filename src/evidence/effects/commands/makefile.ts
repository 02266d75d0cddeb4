/** One rule of a makefile. */
interface MakeRule {
  readonly needs: readonly string[]
  readonly recipe: readonly string[]
}

interface Makefile {
  readonly rules: ReadonlyMap<string, MakeRule>
  readonly variables: ReadonlyMap<string, string>
  /** The target that is made when none is named. */
  readonly first: string | undefined
}

const MAX_DEPTH = 8
/** Levels of targets that need each other. */
const MAX_NEEDS = 100
/** Characters of all recipes with their variables put in. */
const MOST_EXPANDED = 131_072
const ASSIGNMENT = /^(?:export\s+|override\s+)*([\w.-]+)\s*(?:::?|\?|\+|!)?=\s*(.*)$/
const RULE = /^([^\s:#=][^:#=]*):{1,2}(?!=)([^=]*)$/

/** Reads a makefile: rules with their recipes, and variables; what it does not know is passed over. */
const parseMakefile = (text: string, given: ReadonlyMap<string, string>): Makefile => {
  const rules = new Map<string, MakeRule>()
  const variables = new Map<string, string>()
  let [first, open]: [string | undefined, string[]] = [undefined, []]
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    if (line.startsWith('\t')) {
      open.push(line.slice(1))
      continue
    }
    const [, name, value] = ASSIGNMENT.exec(line) ?? []
    if (name !== undefined) {
      variables.set(name, value ?? '')
      continue
    }
    const [, targets, after = ''] = RULE.exec(line) ?? []
    if (targets === undefined) continue
    const [needs = '', inline] = after.split(';')
    open = inline === undefined ? [] : [inline]
    for (const target of targets.trim().split(/\s+/)) {
      if (!target.startsWith('.')) first ??= target
      rules.set(target, { needs: needs.split(/\s+/).filter((need) => need !== '' && need !== '|'), recipe: open })
    }
  }
  return { rules, variables: new Map([...variables, ...given]), first }
}

const closingAt = (text: string, from: number, open: string, close: string): number => {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === open) depth++
    else if (text[at] === close && --depth === 0) return at
  }
  return -1
}

/** What is left to expand: variables made of variables grow without end. */
interface Room {
  left: number
}

/** A recipe as shell code: make's variables put in, those it does not know left to the shell. */
const expanded = (text: string, variables: ReadonlyMap<string, string>, room: Room, depth = 0): string => {
  let out = ''
  for (let at = 0; at < text.length && room.left > 0; at++) {
    room.left--
    const next = text[at + 1] ?? ''
    if (text[at] !== '$') out += text[at]
    else if (next === '(' || next === '{') {
      const end = closingAt(text, at + 1, next, next === '(' ? ')' : '}')
      if (end < 0) return out
      out += reference(text.slice(at + 2, end), variables, room, depth)
      at = end
    } else {
      out += next === '$' ? '$' : (variables.get(next) ?? '')
      at++
    }
  }
  return out
}

const reference = (inner: string, variables: ReadonlyMap<string, string>, room: Room, depth: number): string => {
  if (depth >= MAX_DEPTH) return '${MAKE_VALUE}'
  const shell = /^shell\s+([^]*)$/.exec(inner)?.[1]
  if (shell !== undefined) return `$(${expanded(shell, variables, room, depth + 1)})`
  const value = variables.get(inner) ?? (inner === 'MAKE' ? 'make' : undefined)
  if (value !== undefined) return expanded(value, variables, room, depth + 1)
  return /^\w+$/.test(inner) ? `\${${inner}}` : '${MAKE_VALUE}'
}

/** Shell code that making these targets runs, their prerequisites first; a target without a rule runs nothing. */
export const recipesOf = (
  text: string,
  wanted: readonly string[],
  given: ReadonlyMap<string, string>,
): readonly string[] => {
  const { rules, variables, first } = parseMakefile(text, given)
  const room = { left: MOST_EXPANDED }
  const asked = [...variables.values()].filter((value) => /\$[({]shell\s/.test(value))
  const code = asked.map((value) => `: ${expanded(value, variables, room)}`)
  const made = new Set<string>()
  const make = (target: string, level: number): void => {
    const rule = rules.get(target)
    if (rule === undefined || made.has(target) || level > MAX_NEEDS) return
    made.add(target)
    for (const need of rule.needs) make(need, level + 1)
    const automatic = new Map([...variables, ['@', target], ['<', rule.needs[0] ?? ''], ['^', rule.needs.join(' ')]])
    for (const line of rule.recipe) code.push(expanded(line.replace(/^[\s@+-]+/, ''), automatic, room))
  }
  for (const target of wanted.length > 0 ? wanted : [first ?? '']) make(target, 0)
  return code
}
