import { type Field, fieldOf, literal, textOf, visible } from '../shell/field.ts'
import { EMPTY, type Value, concat, isKnown, known, mapTexts, mergeFlow, oneOf, unknown, withFlow } from '../value.ts'
import type { Call, CommandRow } from './command.ts'

/** Content of the operands, or standard input where there are none or `-` is one. */
const inputOf = (call: Call, operands: readonly Field[]): Value => {
  const files = operands.filter((field) => textOf(field) !== '-')
  const content = files.length > 0 ? call.read(files) : EMPTY
  const piped = files.length < operands.length || operands.length === 0
  return piped ? concat(content, call.stdin ?? (files.length > 0 ? EMPTY : unknown())) : content
}

const passes = (call: Call): Value => inputOf(call, call.options.operands)

const changes = (call: Call): Value => unknown(withFlow(passes(call), { local: true }).flow)

const decoding = (call: Call, decode: (text: string) => string): Value => {
  const value = passes(call)
  return withFlow(isKnown(value) ? mapTexts(value, decode) : unknown(value.flow), { decoded: true })
}

const base64 = (call: Call): Value =>
  call.options.has('-d', '-D', '--decode', '-di')
    ? decoding(call, (text) => Buffer.from(text, 'base64').toString('utf8'))
    : changes(call)

const expandSet = (set: string): string =>
  set
    .replace(/\\([0-7]{1,3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')
    .replace(/(.)-(.)/gs, (_, from: string, to: string) => {
      const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)]
      return Array.from({ length: Math.max(0, Math.min(256, last - first + 1)) }, (_unused, at) =>
        String.fromCharCode(first + at),
      ).join('')
    })

const translate = (call: Call): Value => {
  const [from, to] = call.options.operands.map((field) => textOf(field))
  const input = call.stdin ?? unknown()
  const flow = withFlow(input, { decoded: true })
  if (from === undefined || /\[:/.test(from + (to ?? ''))) return unknown(flow.flow)
  const source = expandSet(from)
  if (call.options.has('-d'))
    return mapTexts(flow, (text) =>
      Array.from(text)
        .filter((char) => !source.includes(char))
        .join(''),
    )
  if (to === undefined) return unknown(flow.flow)
  const target = expandSet(to)
  return mapTexts(flow, (text) =>
    Array.from(text)
      .map((char) => (source.includes(char) ? (target[Math.min(source.indexOf(char), target.length - 1)] ?? '') : char))
      .join(''),
  )
}

/** Text of a format with its escapes; arguments put in for `%s` and the like, the format repeated as needed. */
const formatted = (format: string, args: readonly Value[]): Value => {
  const pieces = format.split(/(%%|%[-+ #0]*\d*(?:\.\d+)?[sbdiouxXcqef])/)
  const slots = pieces.filter((piece) => piece.startsWith('%') && piece !== '%%').length
  const rounds = slots === 0 ? 1 : Math.max(1, Math.min(24, Math.ceil(args.length / slots)))
  let at = 0
  let result: Value = EMPTY
  for (let round = 0; round < rounds; round++)
    for (const piece of pieces) {
      if (piece === '%%') result = concat(result, known('%'))
      else if (piece.startsWith('%')) result = concat(result, args[at++] ?? EMPTY)
      else result = concat(result, known(escapes(piece)))
    }
  return result
}

const escapes = (text: string): string =>
  text.replace(
    /\\(?:x([0-9a-f]{1,2})|0?([0-7]{1,3})|u([0-9a-f]{4})|([abefnrtv\\"']))/gi,
    (whole, hex?: string, octal?: string, unicode?: string, char?: string) => {
      if (hex ?? unicode) return String.fromCharCode(Number.parseInt(hex ?? unicode ?? '', 16))
      if (octal) return String.fromCharCode(Number.parseInt(octal, 8) & 255)
      return (
        { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'", a: '', b: '', e: '\u001b', f: '\f', v: '\v' }[
          char ?? ''
        ] ?? whole
      )
    },
  )

const HIDDEN = /\\(?:x[0-9a-f]|0?[0-7]{2,3}|u[0-9a-f]{4})/i

const echo = (call: Call): Value => {
  let args = call.args
  let interpret = false
  while (args[0] && /^-[neE]+$/.test(visible(args[0]))) {
    interpret ||= visible(args[0]).includes('e')
    args = args.slice(1)
  }
  const value = args.reduce<Value>(
    (all, field, at) => (at === 0 ? field : concat(concat(all, known(' ')), field)),
    EMPTY,
  )
  const hidden = interpret && value.texts.some((text) => HIDDEN.test(text))
  const plain = interpret ? mapTexts(value, escapes) : value
  return withFlow(concat(plain, known('\n')), { decoded: hidden })
}

const printf = (call: Call): Value => {
  const args = textOf(call.args[0]) === '--' ? call.args.slice(1) : call.args
  if (textOf(args[0]) === '-v') {
    const name = textOf(args[1])
    if (name !== undefined) call.state.vars.set(name, formatted(textOf(args[2]) ?? '', args.slice(3)))
    return EMPTY
  }
  const format = textOf(args[0])
  if (format === undefined) return withFlow(unknown(), args[0]?.flow ?? {})
  const flow = mergeFlow(args[0]?.flow ?? EMPTY.flow, { ...EMPTY.flow, decoded: HIDDEN.test(format) })
  return withFlow(formatted(format, args.slice(1)), flow)
}

const sed = (call: Call): Value => {
  const given = call.options.get('-e', '--expression')
  const scripts = given.length > 0 || call.options.has('-f', '--file') ? given : call.options.operands.slice(0, 1)
  const files = given.length > 0 || call.options.has('-f') ? call.options.operands : call.options.operands.slice(1)
  call.read(call.options.get('-f', '--file'))
  for (const script of scripts) {
    const text = visible(script)
    const runs = /(?:^|[;{}\n0-9$/])\s*e\s+([^\n]+)/.exec(text)
    if (runs?.[1]) call.shell(known(runs[1]))
    else if (/\/[gpiIm0-9]*e[gpiIm]*(?:$|[;}])/.test(text) && /^s./.test(text)) call.shell(unknown())
    const writes = /(?:^|[;{}\s/])w\s+(\S+)\s*$/.exec(text)
    if (writes?.[1]) call.write([literal(writes[1])], undefined)
  }
  const inPlace =
    call.options.has('-i', '--in-place') || [...call.options.flags].some((flag) => flag.startsWith('--in-place'))
  if (inPlace) {
    call.write(files, undefined)
    return EMPTY
  }
  return unknown(inputOf(call, files).flow)
}

const grep = (call: Call): Value => {
  const explicit = call.options.has('-e', '--regexp', '-f', '--file')
  const files = explicit ? call.options.operands : call.options.operands.slice(1)
  const tree =
    call.options.has('-r', '-R', '--recursive') || call.name === 'rg' || call.name === 'ag' || call.name === 'ack'
  if (call.name === 'rg') for (const program of call.options.get('--pre')) call.shell(program)
  if (files.length === 0 && (tree || call.stdin === undefined))
    return placeholder([literal('.')], call.options.has('-l', '--files-with-matches', '--files'))
  const content = inputOf(call, files)
  if (call.options.has('-l', '--files-with-matches', '-L')) return placeholder(files, true)
  const searched = textOf(call.options.operands[0])
  const processes = searched === undefined ? [] : [`name:${searched}`]
  return withFlow(unknown(content.flow), { processes })
}

/** Stands for the names of files somewhere below some folders. */
export const placeholder = (roots: readonly Field[], names = true): Value => {
  if (!names) return unknown({ ...EMPTY.flow, local: true })
  const texts = roots.flatMap((field) =>
    isKnown(field) ? field.texts.map((text) => `${text.replace(/\/+$/, '')}/FILE`) : [],
  )
  return texts.length > 0 ? withFlow(oneOf(texts), { local: true }) : unknown({ ...EMPTY.flow, local: true })
}

const READERS =
  'cat tac less more head tail nl bat batcat zcat bzcat xzcat gzcat od hexdump strings sort uniq wc cut column fold fmt paste comm diff cmp cksum md5sum sha1sum sha256sum sha512sum md5 shasum file stat jq yq xmllint csvtool join split tsort expand unexpand pr iconv dos2unix unix2dos look view most pygmentize highlight vim vi nano emacs code ed ex'.split(
    ' ',
  )

const KEEPS = new Set([
  'cat',
  'bat',
  'batcat',
  'less',
  'more',
  'head',
  'tail',
  'view',
  'most',
  'tac',
  'sort',
  'uniq',
  'fold',
  'iconv',
])

/** Programs that take `+command` and do it once the file is open. */
const PAGER = /^(?:less|more|most|view|vim?|nvim|ex|ed|emacs)$/

/** `+!rm x` of a pager and `+:!rm x` of an editor run a program. */
const runStart = (call: Call, field: Field): void => {
  const text = visible(field)
  const code = /^\++:?!+\s*(.+)$/.exec(text)?.[1] ?? /\bsystem\(['"](.+?)['"]\)/.exec(text)?.[1]
  if (code !== undefined) call.shell(known(code))
  else if (!isKnown(field)) call.shell(unknown(field.flow))
}

const reader = (call: Call): Value => {
  const skip = call.name === 'jq' || call.name === 'yq' ? 1 : 0
  const given = call.options.operands.slice(skip)
  const starts = PAGER.test(call.name) ? given.filter((field) => visible(field).startsWith('+')) : []
  for (const field of starts) runStart(call, field)
  const operands = given.filter((field) => !starts.includes(field))
  if (call.options.has('-i', '--in-place', '--inplace') && (call.name === 'yq' || call.name === 'jq'))
    call.write(operands, undefined)
  if (/^(?:vim?|ex|ed|nano|emacs|code)$/.test(call.name)) {
    for (const command of call.options.get('-c', '--cmd', '--eval'))
      if (/!|system|shell/.test(visible(command))) call.shell(mapTexts(command, (text) => text.replace(/^:?!+/, '')))
    if (call.name === 'ex' || call.name === 'ed') call.write(operands, undefined)
  }
  const output = call.name === 'sort' ? call.options.get('-o', '--output') : []
  const value = inputOf(call, operands)
  call.write(output, unknown(value.flow))
  return KEEPS.has(call.name) ? value : unknown(value.flow)
}

/** Commands that read files and text, print it, or change it on its way. */
export const READING_COMMANDS: readonly CommandRow[] = [
  {
    names: READERS,
    values: [
      '-n',
      '-c',
      '-k',
      '-t',
      '-d',
      '-f',
      '-w',
      '-o',
      '--output',
      '--lines',
      '--bytes',
      '--cmd',
      '--eval',
      '--arg',
    ],
    run: reader,
    examples: [
      ['cat README.md', 'fs.read@workspace'],
      ['cat ~/.aws/credentials', 'fs.read@credential', 'secret.read@credential'],
      ['head -n 3 .env', 'fs.read@dotenv', 'secret.read@dotenv'],
      ['jq .name package.json', 'fs.read@workspace'],
      ["less '+!rm -rf /' a.txt", 'fs.delete+recursive+force@root', 'fs.read@workspace'],
      ['less +G a.txt', 'fs.read@workspace'],
    ],
  },
  {
    names: ['grep', 'egrep', 'fgrep', 'rg', 'zgrep', 'ag', 'ack', 'pcregrep', 'ugrep'],
    values: [
      '-e',
      '--regexp',
      '-f',
      '--file',
      '-A',
      '-B',
      '-C',
      '-m',
      '-g',
      '--glob',
      '-t',
      '--type',
      '--include',
      '--exclude',
      '--exclude-dir',
      '--pre',
      '-M',
      '--max-count',
      '--max-depth',
    ],
    run: grep,
    examples: [
      ['grep -rn "rm -rf /" src', 'fs.read@workspace'],
      ['grep KEY ~/.ssh/id_rsa', 'fs.read@credential', 'secret.read@credential'],
    ],
  },
  {
    names: ['sed', 'gsed'],
    values: ['-e', '--expression', '-f', '--file', '-l'],
    run: sed,
    examples: [
      ['sed -i s/a/b/ x.txt', 'fs.write@workspace'],
      ['sed -n 1,20p a.ts', 'fs.read@workspace'],
      ["sed '1e rm -rf /' a", 'fs.delete+recursive+force@root', 'fs.read@workspace'],
    ],
  },
  {
    names: ['base64', 'gbase64', 'base32'],
    values: ['-w', '--wrap', '-b'],
    run: base64,
    examples: [
      ['base64 a.png', 'fs.read@workspace'],
      ['echo cm0gLXJmIC8= | base64 -d | sh', 'exec.decoded', 'fs.delete+recursive+force@root'],
    ],
  },
  {
    names: ['xxd'],
    values: ['-l', '-s', '-c', '-g'],
    run: (call) =>
      call.options.has('-r')
        ? decoding(call, (text) => Buffer.from(text.replace(/[^0-9a-f]/gi, ''), 'hex').toString('utf8'))
        : changes(call),
    examples: [['echo 726d202d7266202f | xxd -r -p | bash', 'exec.decoded', 'fs.delete+recursive+force@root']],
  },
  {
    names: ['rev'],
    run: (call) =>
      decoding(call, (text) =>
        text
          .split('\n')
          .map((line) => Array.from(line).toReversed().join(''))
          .join('\n'),
      ),
    examples: [["echo '/ fr- mr' | rev | sh", 'exec.decoded', 'fs.delete+recursive+force@root']],
  },
  {
    names: ['tr'],
    run: translate,
    examples: [
      ['echo sn | tr s r'],
      ["echo 'sn -rf /' | tr sn rm | sh", 'exec.decoded', 'fs.delete+recursive+force@root'],
    ],
  },
  {
    names: [
      'gunzip',
      'bunzip2',
      'unxz',
      'uudecode',
      'rot13',
      'caesar',
      'gzip',
      'xz',
      'bzip2',
      'zstd',
      'brotli',
      'lz4',
      'gpg',
      'age',
      'openssl',
    ],
    values: ['-in', '-out', '-k', '-pass', '-iv', '-K', '-o', '-i', '-r', '--output', '-b'],
    dash: 'single',
    run: (call) => {
      const out = call.options.get('-out', '-o', '--output')
      const files = [
        ...call.options.get('-in', '-i'),
        ...(call.name === 'openssl' ? [] : call.options.operands.filter((field) => !visible(field).startsWith('-'))),
      ]
      const value = files.length > 0 ? call.read(files) : (call.stdin ?? unknown())
      if (out.length > 0) call.write(out, unknown(value.flow))
      return withFlow(unknown(value.flow), { decoded: true })
    },
    examples: [
      ['gunzip -c a.gz', 'fs.read@workspace'],
      ['cat x | openssl enc -d -aes-256-cbc | bash', 'fs.read@workspace', 'exec.decoded'],
    ],
  },
  {
    names: ['echo'],
    run: echo,
    examples: [
      ['echo rm -rf /'],
      ["echo -e '\\x72\\x6d -rf /' | sh", 'exec.decoded', 'fs.delete+recursive+force@root'],
    ],
  },
  {
    names: ['printf'],
    run: printf,
    examples: [["printf '%s %s' rm /"], ["printf 'rm -rf %s' / | bash", 'fs.delete+recursive+force@root']],
  },
  {
    names: ['tee', 'sponge'],
    run: (call) => {
      const append = call.options.has('-a', '--append')
      call.write(call.options.operands, call.stdin ?? unknown(), append ? { traits: ['append'] } : {})
      return call.stdin ?? unknown()
    },
    examples: [
      ['echo x | tee a.txt', 'fs.write@workspace'],
      ['echo x | tee -a /etc/hosts', 'fs.write+append@system'],
    ],
  },
  {
    names: ['ls', 'dir', 'tree', 'du', 'exa', 'eza', 'lsd', 'lsattr', 'getfacl', 'readlink', 'realpath', 'df'],
    values: ['-I', '-L', '--max-depth', '-d'],
    run: (call) => {
      call.emit(
        'fs.list',
        call.paths(call.options.operands.length > 0 ? call.options.operands : [literal('.')], 'content'),
      )
      if (call.name === 'readlink' || call.name === 'realpath') return mapOperands(call)
      return call.name === 'ls' && !call.options.has('-l') ? placeholder([literal('.')], true) : unknown()
    },
    examples: [['ls -la', 'fs.list@workspace-root']],
  },
  {
    names: ['basename', 'dirname'],
    run: (call) => {
      const [path, suffix] = call.options.operands
      if (path === undefined) return unknown()
      return mapTexts(path, (text) => {
        const plain = text.replace(/(?<=.)\/+$/, '')
        const cut = plain.lastIndexOf('/')
        if (call.name === 'dirname') return cut < 0 ? '.' : plain.slice(0, Math.max(1, cut))
        const base = plain.slice(cut + 1)
        const end = textOf(suffix)
        return end !== undefined && base.endsWith(end) ? base.slice(0, -end.length) : base
      })
    },
    examples: [['rm -rf $(dirname /etc/passwd)', 'fs.delete+recursive+force@system']],
  },
  {
    names: ['man'],
    values: ['-P', '--pager', '-H'],
    run: (call) => {
      for (const pager of call.options.get('-P', '--pager')) call.shell(pager)
    },
    examples: [['man ls'], ["man -P 'rm -rf /' ls", 'fs.delete+recursive+force@root']],
  },
  {
    names: ['mktemp'],
    values: ['-p', '--tmpdir', '--suffix', '-t'],
    run: () => ({ ...unknown({ ...EMPTY.flow, settings: true }), prefix: '/tmp/tmp.' }),
    examples: [['T=$(mktemp -d); rm -rf "$T"', 'fs.delete+recursive+force@temp']],
  },
  {
    names: [
      'seq',
      'date',
      'uname',
      'hostname',
      'whoami',
      'id',
      'nproc',
      'uptime',
      'tty',
      'sleep',
      'true',
      'false',
      'clear',
      'expr',
      'bc',
      'test',
      '[',
      'yes',
      'cal',
      'tput',
      'stty',
      'sync',
      'groups',
      'logname',
      'free',
      'vmstat',
      'lscpu',
      'lsblk',
      'help',
      'info',
      'tldr',
      'apropos',
    ],
    run: () => unknown(),
    examples: [['date'], ['test -f x']],
  },
]

const mapOperands = (call: Call): Value => {
  const last = call.options.operands.at(-1)
  return last === undefined ? unknown() : fieldOf(last, last.raw)
}
