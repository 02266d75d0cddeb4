import { parseDocument } from 'yaml'
import { expressionsAsShell, literalAsShell } from './expressions.ts'

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Code of one step. */
export interface StepScript {
  /** Its variables come first, where it is shell code. */
  readonly code: string
  readonly dialect: 'shell' | 'powershell' | 'cmd' | 'python' | 'javascript'
}

/** Files in which services for continuous integration are configured. */
const WORKFLOW_FILE =
  /(?:\/\.github\/workflows\/[^/]+\.ya?ml|\/\.github\/actions\/(?:.+\/)?action\.ya?ml|\/action\.ya?ml|\/\.gitlab-ci\.ya?ml|\/\.gitlab\/.+\.ya?ml|\/\.circleci\/.+\.ya?ml|\/azure-pipelines[^/]*\.ya?ml|\/\.azure(?:-pipelines)?\/.+\.ya?ml|\/bitbucket-pipelines\.ya?ml|\/\.travis\.ya?ml|\/appveyor\.ya?ml|\/\.drone\.ya?ml|\/\.woodpecker(?:\/.+)?\.ya?ml|\/\.buildkite\/.+\.ya?ml|\/\.semaphore\/.+\.ya?ml|\/\.gitea\/workflows\/[^/]+\.ya?ml|\/\.forgejo\/workflows\/[^/]+\.ya?ml|\/jenkinsfile[^/]*)$/i
const JENKINS = /\/jenkinsfile[^/]*$/i

/** Files by which an image is built, or a pipeline is run, with commands in them. */
const IMAGE_FILE = /\/(?:docker|container)file(?:\.[\w.-]+)?$|\.(?:docker|container)file$/i
const PIPELINE_FILE = /\/snakefile$|\.(?:smk|nf)$/i

/** Whether a path is such a file. */
export const isWorkflow = (path: string): boolean =>
  WORKFLOW_FILE.test(path) || IMAGE_FILE.test(path) || PIPELINE_FILE.test(path)

const CODE_KEY =
  /^(?:run|script|scripts|before_script|after_script|command|commands|pre_command|post_command|bash|sh|pwsh|powershell|cmd|batch|inlineScript|inline|(?:before_|after_)?(?:install|deploy|success|failure|build|test|cache)(?:_script)?|prologue|epilogue|on_finish|on_failure|on_success)$/
const ENV_KEY = /^(?:env|variables|environment|env_vars)$/
const DIALECT_OF_KEY: Readonly<Record<string, StepScript['dialect'] | undefined>> = {
  pwsh: 'powershell',
  powershell: 'powershell',
  cmd: 'cmd',
  batch: 'cmd',
}

const dialectOf = (shell: string): StepScript['dialect'] => {
  if (/^python/i.test(shell)) return 'python'
  if (/^(?:pwsh|powershell)/i.test(shell)) return 'powershell'
  if (/^node/i.test(shell)) return 'javascript'
  return /^cmd\b/i.test(shell) ? 'cmd' : 'shell'
}

/** What surrounds a step. */
interface Around {
  readonly dialect: StepScript['dialect']
  readonly variables: ReadonlyMap<string, string>
}

const MOST_SCRIPTS = 200
const DEEPEST = 24
const MOST_NODES = 20_000

const variablesIn = (value: unknown): readonly (readonly [string, string])[] => {
  if (isArray(value))
    return value.flatMap((one): readonly (readonly [string, string])[] => {
      if (typeof one === 'string' && one.includes('='))
        return [[one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]]
      return isObject(one) && typeof one['name'] === 'string' ? [[one['name'], String(one['value'])]] : []
    })
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, one]) =>
    typeof one === 'string' || typeof one === 'number' ? [[name, String(one)] as const] : [],
  )
}

/** The lines of a script that is one text, or a list of them, perhaps in lists. */
const linesOf = (value: unknown, level = 0): readonly string[] => {
  if (typeof value === 'string') return [value]
  return isArray(value) && level < 3
    ? value.slice(0, level === 0 ? 1_000 : 16).flatMap((one) => linesOf(one, level + 1))
    : []
}

const asStep = (lines: readonly string[], { dialect, variables }: Around): StepScript => {
  const code = lines.join('\n')
  if (dialect !== 'shell') return { code: code.replace(/\$\{\{[^}]{0,256}\}\}/g, 'CI_VALUE'), dialect }
  const named = [...variables].filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && code.includes(name))
  const set = named.map(([name, value]) => `${name}=${literalAsShell(value)}`)
  return { code: [...set, expressionsAsShell(code)].join('\n'), dialect }
}

const inTree = (tree: unknown, around: Around): readonly StepScript[] => {
  const found: StepScript[] = []
  let nodes = 0
  const visit = (value: unknown, outer: Around, level: number): void => {
    // Aliases repeat one part in many places: a small file may be a large tree.
    if (level > DEEPEST || found.length >= MOST_SCRIPTS || ++nodes > MOST_NODES) return
    if (isArray(value)) for (const one of value) visit(one, outer, level + 1)
    if (!isObject(value)) return
    const own = Object.entries(value).flatMap(([name, one]) => (ENV_KEY.test(name) ? variablesIn(one) : []))
    const shell =
      value['shell'] ??
      (isObject(value['defaults']) && isObject(value['defaults']['run'])
        ? value['defaults']['run']['shell']
        : undefined)
    const uses = typeof value['uses'] === 'string' ? value['uses'] : ''
    const inner: Around = {
      variables: own.length > 0 ? new Map([...outer.variables, ...own]) : outer.variables,
      dialect: uses.startsWith('actions/github-script')
        ? 'javascript'
        : typeof shell === 'string'
          ? dialectOf(shell)
          : outer.dialect,
    }
    for (const [name, one] of Object.entries(value)) {
      const lines = CODE_KEY.test(name) ? linesOf(one) : []
      if (lines.length > 0) found.push(asStep(lines, { ...inner, dialect: DIALECT_OF_KEY[name] ?? inner.dialect }))
      if (typeof one === 'object') visit(one, inner, level + 1)
    }
  }
  visit(tree, around, 0)
  return found
}

const KEY_LINE = /^([ \t]*(?:-[ \t]+)?)["']?([\w-]{1,32})["']?[ \t]*:[ \t]*(.*)$/

const FLOW_KEY =
  /[{,][ \t]*["']?(?:run|script|command|bash|sh)["']?[ \t]*:[ \t]*("(?:[^"\\\n]|\\.){0,2048}"|'[^'\n]{0,2048}'|[^,}\n]{1,2048})/g

/** The scripts of a partial document, by its lines. */
const inLines = (text: string, around: Around): readonly StepScript[] => {
  const lines = text.split('\n')
  const found: StepScript[] = [...text.matchAll(FLOW_KEY)]
    .slice(0, MOST_SCRIPTS)
    .map(([, code = '']) => asStep([code.replace(/^(["'])(.*)\1$/, '$2')], around))
  for (let at = 0; at < lines.length && found.length < 2 * MOST_SCRIPTS; at++) {
    const [, indent = '', key = '', rest = ''] = KEY_LINE.exec(lines[at] ?? '') ?? []
    if (!CODE_KEY.test(key)) continue
    const inline = /^[|>]/.test(rest) || rest === '' ? [] : [rest.replace(/^(["'])(.*)\1\s*$/, '$2')]
    const block: string[] = []
    for (let next = at + 1; next < lines.length; next++) {
      const line = lines[next] ?? ''
      const width = /^[ \t]*/.exec(line)?.[0].length ?? 0
      if (line.trim() !== '' && width < indent.length + (line.trimStart().startsWith('- ') ? 0 : 1)) break
      block.push(line.trim().replace(/^- /, ''))
    }
    found.push(
      asStep([...inline, ...(inline.length > 0 ? [] : block)], {
        ...around,
        dialect: DIALECT_OF_KEY[key] ?? around.dialect,
      }),
    )
  }
  return found
}

const JENKINS_STEP =
  /\b(sh|bat|powershell|pwsh)\b\s*\(?\s*(?:script\s*:\s*)?('''[^]*?'''|"""[^]*?"""|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/g

const unquoted = (text: string): string => text.replace(/^(?:'''|"""|'|")/, '').replace(/(?:'''|"""|'|")$/, '')

const inJenkins = (text: string, { variables }: Around): readonly StepScript[] =>
  [...text.matchAll(JENKINS_STEP)].slice(0, MOST_SCRIPTS).map(([, step = '', quoted = '']) => {
    return asStep([unquoted(quoted)], {
      variables,
      dialect: step === 'sh' ? 'shell' : step === 'bat' ? 'cmd' : 'powershell',
    })
  })

/** The commands of an image, whose lines may go on after a backslash. */
const inImage = (text: string, around: Around): readonly StepScript[] =>
  [...text.replaceAll('\\\n', ' ').matchAll(/^[ \t]*RUN[ \t]+((?:--\S{1,200}[ \t]+){0,8}\S.*)$/gim)]
    .slice(0, MOST_SCRIPTS)
    .map(([, code = '']) => asStep([code.replace(/^(?:--\S{1,200}[ \t]+){1,8}/, '')], around))

const PIPELINE_STEP =
  /\b(?:shell|script)\s{0,8}:?\s{0,64}("""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/g

const inPipeline = (text: string, around: Around): readonly StepScript[] =>
  [...text.matchAll(PIPELINE_STEP)].slice(0, MOST_SCRIPTS).map(([, quoted = '']) =>
    // `{input}` is a name that the pipeline fills in.
    asStep(
      [
        unquoted(quoted)
          .replaceAll('\\"', '"')
          .replace(/\{[\w.]{1,64}\}/g, 'VALUE'),
      ],
      around,
    ),
  )

/** Longer files are read by their lines. */
const LONGEST_PARSED = 131_072

/** Looking an alias up goes through the whole document: so many of them by so many characters. */
const MOST_LOOKED = 4_000_000
const ALIAS = /(?:^|[\s,[{:-])\*[A-Za-z0-9_]/gm

const treeOf = (text: string): unknown => {
  if (text.length > LONGEST_PARSED) return undefined
  if ((text.match(ALIAS)?.length ?? 0) * text.length > MOST_LOOKED) return undefined
  try {
    const document = parseDocument(text, { logLevel: 'silent', uniqueKeys: false })
    return document.errors.length > 0 ? undefined : (document.toJS({ maxAliasCount: 100 }) as unknown)
  } catch {
    return undefined
  }
}

/** The code that a workflow file has its service run; what only reads as one by its lines counts as well. */
export const workflowScripts = (path: string, text: string): readonly StepScript[] => {
  const around: Around = { dialect: 'shell', variables: new Map() }
  if (JENKINS.test(path)) return inJenkins(text, around)
  if (IMAGE_FILE.test(path)) return inImage(text, around)
  if (PIPELINE_FILE.test(path)) return inPipeline(text, around)
  // `$(Name.Of)` is a value of Azure's, and no command.
  const plain = /azure/i.test(path)
    ? text.replace(
        /\$\(([A-Z][\w.]{0,63}|\w{1,32}\.[\w.]{1,32})\)/g,
        (_, name: string) => `\${${name.replaceAll('.', '_')}}`,
      )
    : text
  const tree = treeOf(plain)
  return typeof tree === 'object' && tree !== null ? inTree(tree, around) : inLines(plain, around)
}
