import type { EffectTrait } from '../../../protocol/evidence.ts'
import { remoteOf } from '../hosts.ts'
import { type Field, fieldOf, textOf, visible } from '../shell/field.ts'
import { EMPTY, isKnown, unknown } from '../value.ts'
import type { Call, CommandRow } from './command.ts'
import { writeDevices } from './disks.ts'

const removal = (call: Call): readonly EffectTrait[] => [
  ...(call.options.has('-r', '-R', '--recursive') ? (['recursive'] as const) : []),
  ...(call.options.has('-f', '--force') ? (['force'] as const) : []),
]

const recursive = (call: Call): { readonly traits: readonly EffectTrait[] } => ({
  traits: call.options.has('-R', '-r', '--recursive') ? ['recursive'] : [],
})

/** Destination and sources of a copying command; with `-t` the destination is the option's value. */
const copyOperands = (call: Call): { readonly sources: readonly Field[]; readonly into: readonly Field[] } => {
  const into = call.options.get('-t', '--target-directory')
  const operands = call.options.operands
  return into.length > 0 ? { sources: operands, into } : { sources: operands.slice(0, -1), into: operands.slice(-1) }
}

const baseName = (text: string): string => text.slice(text.replace(/\/+$/, '').lastIndexOf('/') + 1)

/** Where copies land: below the destination when it is a folder, or the destination itself. */
const landings = (call: Call, sources: readonly Field[], into: readonly Field[]): readonly Field[] => {
  const isFolder = into.some(
    (field) =>
      visible(field).endsWith('/') ||
      visible(field) === '.' ||
      call.paths([field], 'content').some((one) => call.engine.paths.world.pathKind(one.path) === 'directory'),
  )
  if (!isFolder && sources.length < 2 && call.options.get('-t').length === 0) return into
  const joined = into.flatMap((field) =>
    isKnown(field)
      ? sources.flatMap((source) =>
          source.texts.map((text) =>
            fieldOf(
              { ...EMPTY, texts: field.texts.map((folder) => `${folder.replace(/\/+$/, '')}/${baseName(text)}`) },
              field.raw,
            ),
          ),
        )
      : [],
  )
  return joined.length > 0 ? joined : into
}

const copy = (call: Call): void => {
  const { sources, into } = copyOperands(call)
  const content = call.read(sources, recursive(call))
  const targets = landings(call, sources, into)
  call.write(targets, content)
  if (sources.some((source) => /^\/(?:usr\/)?s?bin\//.test(visible(source))))
    for (const target of call.paths(targets, 'content'))
      for (const source of call.paths(sources, 'content')) call.engine.scratch.links.set(target.path, source.path)
}

const move = (call: Call): void => {
  const { sources, into } = copyOperands(call)
  const from = call.paths(sources, 'entry')
  const content = from.map((one) => call.engine.scratch.files.get(one.path)).find((one) => one !== undefined)
  const secrets = from.filter((one) => one.zone === 'credential' || one.zone === 'dotenv')
  call.emit('fs.delete', from.length > 0 ? from : call.paths(into, 'entry'))
  call.write(landings(call, sources, into), content ?? unknown({ ...EMPTY.flow, local: true, secrets }))
}

const link = (call: Call): void => {
  const { sources, into } = copyOperands(call)
  const from = sources.length > 0 ? sources : into
  const targets = call.paths(
    sources.length > 0
      ? landings(call, sources, into)
      : from.map((field) => fieldOf({ ...EMPTY, texts: [baseName(visible(field))] }, field.raw)),
    'entry',
  )
  call.emit('fs.write', targets, removal(call).includes('force') ? { traits: ['force'] } : {})
  const origins = call.paths(from, 'content')
  for (const target of targets) for (const source of origins) call.engine.scratch.links.set(target.path, source.path)
  if (call.options.has('-s', '--symbolic')) return
  // One more name for the very file: nobody sees from it later whose file is read, or written to.
  const guarded = origins.filter((one) => one.zone === 'guard')
  if (guarded.length > 0) call.emit('fs.write', guarded)
  if (origins.some((one) => one.zone === 'credential' || one.zone === 'dotenv')) call.read(from)
}

const mode = (call: Call): void => {
  const reference = call.options.has('--reference')
  const [first, ...rest] = call.args.filter((field) => !/^-[RrfvhHLPc]+$|^--/.test(visible(field)))
  call.emit('fs.permission', call.paths(reference && first ? [first, ...rest] : rest, 'entry'), recursive(call))
}

const dd = (call: Call): void => {
  const part = (name: string) =>
    call.args.flatMap((field) => {
      if (!visible(field).startsWith(name)) return []
      const change = {
        ...field,
        texts: field.texts.map((text) => text.slice(name.length)),
        prefix: field.prefix.slice(name.length),
      }
      return [fieldOf(change, field.raw, field.glob)]
    })
  const from = part('if=')
  const content = from.length > 0 ? call.read(from) : (call.stdin ?? unknown())
  call.write(part('of='), content)
}

const archive = (call: Call): void => {
  const first = visible(call.args[0] ?? fieldOf(EMPTY, ''))
  const letters = first.startsWith('-') ? first : `-${first}`
  const has = (letter: string, long: string) =>
    call.options.has(`-${letter}`, long) ||
    (/^-?[a-zA-Z]+$/.test(first) && !first.startsWith('--') && letters.includes(letter))
  const at = call.options.get('-C', '--directory')
  const file = call.options.get('-f', '--file')
  const bundled = !first.startsWith('-') && first.includes('f') ? call.options.operands.slice(1, 2) : []
  const archives = [...file, ...bundled]
  const rest = call.options.operands
    .filter((field) => field !== call.args[0] || first.startsWith('-'))
    .filter((field) => !bundled.includes(field))
  for (const program of call.options.get(
    '--to-command',
    '--use-compress-program',
    '-I',
    '--checkpoint-action',
    '--rsh-command',
  ))
    call.shell(
      visible(program).startsWith('exec=')
        ? { ...program, texts: program.texts.map((text) => text.slice(5)) }
        : program,
    )
  if (has('x', '--extract')) {
    call.read(archives)
    return call.write(at.length > 0 ? at : [fieldOf({ ...EMPTY, texts: ['.'] }, '.')], {
      ...unknown(),
      flow: call.stdin?.flow ?? EMPTY.flow,
    })
  }
  if (has('t', '--list')) {
    call.read(archives)
    return
  }
  const content = call.read(rest, { traits: ['recursive'] })
  if (call.options.has('--remove-files')) call.remove(rest, { traits: ['recursive'] })
  const remote = archives.flatMap((field) => remoteOf(visible(field)) ?? [])
  if (remote.length > 0) call.send(remote, content)
  else
    call.write(
      archives.filter((field) => textOf(field) !== '-'),
      content,
    )
}

const rsync = (call: Call): void => {
  const operands = call.options.operands
  const [sources, into] = [operands.slice(0, -1), operands.slice(-1)]
  for (const shell of call.options.get('-e', '--rsh')) if (!/^ssh\b/.test(visible(shell))) call.shell(shell)
  const local = sources.filter((field) => remoteOf(visible(field)) === undefined)
  const content = call.read(local, { traits: ['recursive'] })
  if (call.options.has('-n', '--dry-run', '--list-only')) return
  for (const source of sources) {
    const host = remoteOf(visible(source))
    if (host) call.emit('net.fetch', [host])
  }
  if (call.options.has('--remove-source-files')) call.remove(local, { traits: ['recursive'] })
  for (const field of into) {
    const host = remoteOf(visible(field))
    const deletes = [...call.options.flags].some((flag) => /^--del(?:$|ete)/.test(flag))
    if (host) {
      call.send([host], content)
      if (deletes) call.emit('cloud.destroy', [{ type: 'resource', name: `rsync ${host.host}` }])
    } else {
      call.write([field], unknown(content.flow))
      if (deletes) call.remove([field], { traits: ['recursive'] })
    }
  }
}

/** Commands that change files and disks. */
export const FILE_COMMANDS: readonly CommandRow[] = [
  {
    names: ['rm', 'grm', 'unlink', 'rmdir', 'trash', 'srm', 'del'],
    run: (call) => call.remove(call.options.operands, { traits: removal(call) }),
    examples: [
      ['rm -rf node_modules', 'fs.delete+recursive+force@workspace'],
      ['rm -rf /', 'fs.delete+recursive+force@root'],
      ['rm -r --force ~', 'fs.delete+recursive+force@home'],
      ['rmdir build', 'fs.delete@workspace'],
      ['rm -rf -- *', 'fs.delete+recursive+force+glob@workspace-root'],
    ],
  },
  {
    names: ['shred', 'wipe'],
    values: ['-n', '--iterations', '-s', '--size', '--random-source'],
    run: (call) => {
      const tree = call.name !== 'shred' && call.options.has('-r', '-R', '--recursive')
      call.remove(call.options.operands, { traits: tree ? ['recursive'] : [] })
      if (call.options.operands.some((field) => visible(field).startsWith('/dev/') || !isKnown(field)))
        writeDevices(call)
    },
    examples: [
      ['shred -u notes.txt', 'fs.delete@workspace'],
      ['wipe -rf build', 'fs.delete+recursive@workspace'],
      ['shred /dev/sda', 'fs.delete@device', 'device.write@device'],
    ],
  },
  {
    names: ['truncate'],
    values: ['-s', '--size', '-r', '--reference'],
    run: (call) => call.write(call.options.operands, EMPTY),
    examples: [['truncate -s 0 log.txt', 'fs.write@workspace']],
  },
  {
    names: ['cp', 'gcp', 'install', 'ditto'],
    values: ['-t', '--target-directory', '-m', '--mode', '-o', '--owner', '-g', '--group', '-S', '--suffix'],
    run: copy,
    examples: [
      ['cp a.txt b.txt', 'fs.read@workspace', 'fs.write@workspace'],
      ['cp evil /etc/passwd', 'fs.read@workspace', 'fs.write@system'],
    ],
  },
  {
    names: ['mv', 'gmv', 'rename.ul'],
    values: ['-t', '--target-directory', '-S', '--suffix'],
    run: move,
    examples: [
      ['mv a b', 'fs.delete@workspace', 'fs.write@workspace'],
      ['mv ~/.ssh /tmp/x', 'fs.delete@credential', 'fs.write@temp'],
    ],
  },
  {
    names: ['ln', 'link'],
    values: ['-t', '--target-directory', '-S', '--suffix'],
    run: link,
    examples: [
      ['ln -sf a b', 'fs.write+force@workspace'],
      ['ln ~/.ssh/id_rsa b', 'fs.read@credential', 'secret.read@credential', 'fs.write@workspace'],
    ],
  },
  {
    names: ['chmod', 'chown', 'chgrp', 'chattr', 'setfacl', 'chflags', 'xattr'],
    run: mode,
    examples: [
      ['chmod -R 777 /', 'fs.permission+recursive@root'],
      ['chmod +x run.sh', 'fs.permission@workspace'],
      ['chmod -x a', 'fs.permission@workspace'],
    ],
  },
  {
    names: ['mkdir', 'touch', 'mkfifo', 'mknod'],
    values: ['-m', '--mode', '-d', '-r', '-t'],
    run: (call) => call.write(call.options.operands, EMPTY),
    examples: [['mkdir -p src/a', 'fs.write@workspace']],
  },
  {
    names: ['dd', 'dcfldd', 'gdd'],
    run: dd,
    examples: [
      ['dd if=/dev/zero of=/dev/sda bs=1M', 'device.write@device'],
      ['dd if=a of=b', 'fs.read@workspace', 'fs.write@workspace'],
    ],
  },
  {
    names: ['tar', 'gtar', 'bsdtar'],
    values: [
      '-C',
      '--directory',
      '-f',
      '--file',
      '-T',
      '--files-from',
      '-X',
      '--exclude',
      '-I',
      '--use-compress-program',
      '--to-command',
      '--checkpoint-action',
      '--transform',
      '--strip-components',
      '--owner',
      '--group',
    ],
    run: archive,
    examples: [
      ['tar xzf a.tgz -C build', 'fs.read@workspace', 'fs.write@workspace'],
      ['tar czf a.tgz src', 'fs.read+recursive@workspace', 'fs.write@workspace'],
    ],
  },
  {
    names: ['unzip', '7z', '7za', 'unrar', 'cpio', 'ar', 'zip'],
    values: ['-d', '-o', '-x', '-P', '-i'],
    run: (call) => {
      const [first, ...rest] = call.options.operands
      if (call.name === 'zip') return first && call.write([first], call.read(rest, { traits: ['recursive'] }))
      call.read(call.options.operands.slice(0, 1))
      const into = call.options.get('-d')
      if (!call.options.has('-l', '-t', '-Z'))
        call.write(into.length > 0 ? into : [fieldOf({ ...EMPTY, texts: ['.'] }, '.')], unknown())
      return undefined
    },
    examples: [['unzip a.zip -d out', 'fs.read@workspace', 'fs.write@workspace']],
  },
  {
    names: ['rsync'],
    values: [
      '-e',
      '--rsh',
      '--exclude',
      '--include',
      '--files-from',
      '--exclude-from',
      '--chown',
      '--chmod',
      '--bwlimit',
      '-f',
      '--filter',
      '--port',
      '--password-file',
      '--log-file',
      '--backup-dir',
      '--rsync-path',
    ],
    run: rsync,
    examples: [
      ['rsync -a src/ host:/srv', 'fs.read+recursive@workspace', 'net.send'],
      ['rsync -a --delete src/ host:/srv', 'fs.read+recursive@workspace', 'net.send', 'cloud.destroy'],
      ['rsync -a --delete empty/ ~/', 'fs.read+recursive@workspace', 'fs.write@home', 'fs.delete+recursive@home'],
    ],
  },
  {
    names: ['mount', 'umount', 'losetup', 'swapoff', 'swapon'],
    values: ['-t', '-o'],
    run: (call) => {
      const [from, to] = call.paths(call.options.operands.slice(0, 2), 'content')
      if (from && to) call.engine.scratch.links.set(to.path, from.path)
      if (call.options.operands.length > 0)
        call.emit(
          'service.change',
          call.options.operands.map((field) => ({ type: 'resource', name: visible(field) })),
        )
    },
    examples: [['mount /dev/sdb1 /mnt', 'service.change'], ['mount']],
  },
]
