import type { PathTarget } from '../paths.ts'
import type { Language } from '../commands/command.ts'
import { type Field, fieldOf } from '../shell/field.ts'
import { pathTargets, readFiles, writeFiles } from '../shell/files.ts'
import { moveTo } from '../shell/state.ts'
import { EMPTY, isKnown, mergeFlow, unknown } from '../value.ts'
import type { Result } from './expression.ts'
import { type LibraryCall, type Reading, toField } from './reading.ts'

const onReceiver = ({ receiver, dotted }: LibraryCall): boolean =>
  receiver !== undefined && dotted.startsWith('().') && (isKnown(receiver.value) || receiver.value.prefix !== '')

/** What the call works on: what it is made on, or the argument that the table names. */
const subjectOf = (call: LibraryCall): Field =>
  toField(onReceiver(call) ? call.receiver : call.args[call.row.argument ?? 0])

const targetsOf = ({ frame }: Reading, field: Field): readonly PathTarget[] => pathTargets(frame, [field], 'entry')

const openMode = (args: readonly Result[], language: Language): 'read' | 'write' | 'append' => {
  const modes = args.slice(1).flatMap((arg) => arg.value.texts)
  const mode =
    modes.find((text) => /^[rwaxbt+]{1,4}$|^(?:>>?|<|\+<)/.test(text)) ??
    (language === 'perl' ? (args.at(-1)?.value.texts[0] ?? '') : 'r')
  if (/^\s*>>|^a/.test(mode)) return 'append'
  return /[wx+>]/.test(mode) ? 'write' : 'read'
}

export const remove = (reading: Reading, call: LibraryCall): void => {
  const { frame, place, by, language } = reading
  const tree = call.row.act === 'delete-tree' || call.tokens.flat().some((token) => token.text === 'recursive')
  const all =
    onReceiver(call) || !['perl', 'ruby', 'php'].includes(language)
      ? [subjectOf(call)]
      : call.args.flatMap((arg) => (arg.items ?? [arg]).map(toField))
  const targets = all.flatMap((field) => targetsOf(reading, field))
  // What a listing or a pattern gives: any file there.
  const many = targets.some(({ path }) => path.endsWith('/FILE'))
  frame.engine.emit(
    {
      kind: 'fs.delete',
      by,
      targets,
      traits: [...(tree ? (['recursive'] as const) : []), 'inline-code', ...(many ? (['glob'] as const) : [])],
    },
    place,
  )
}

export const write = ({ frame, place, by }: Reading, call: LibraryCall): void =>
  writeFiles(frame, place, by, [subjectOf(call)], call.args[onReceiver(call) ? 0 : 1]?.value ?? EMPTY)

export const open = (reading: Reading, call: LibraryCall): void => {
  const { frame, place, by, seen, language } = reading
  const last = toField(call.args.at(-1))
  const file =
    language === 'perl' && call.args.length >= 2
      ? fieldOf({ ...last, texts: last.texts.map((text) => text.replace(/^\s*[<>+]+\s*/, '')) }, last.raw)
      : subjectOf(call)
  const mode = openMode(call.args, language)
  if (mode === 'read') seen.flow = mergeFlow(seen.flow, readFiles(frame, place, by, [file]).flow)
  else writeFiles(frame, place, by, [file], unknown(), mode === 'append')
}

/** `file:/x?mode=ro` as its path. */
const byPath = (field: Field): Field =>
  fieldOf({ ...field, texts: field.texts.map((text) => text.replace(/^file:(?:\/\/)?([^?]*).*$/, '$1')) }, field.raw)

export const read = ({ frame, place, by, seen }: Reading, call: LibraryCall): void => {
  const file = byPath(subjectOf(call))
  seen.flow = mergeFlow(seen.flow, readFiles(frame, place, by, [file]).flow)
}

export const list = (reading: Reading, call: LibraryCall): void => {
  const subject = subjectOf(call)
  const targets = isKnown(subject) ? targetsOf(reading, subject) : []
  reading.frame.engine.emit({ kind: 'fs.list', by: reading.by, targets }, reading.place)
}

export const permit = (reading: Reading, call: LibraryCall): void => {
  const targets = targetsOf(reading, subjectOf(call))
  reading.frame.engine.emit({ kind: 'fs.permission', by: reading.by, targets, traits: ['inline-code'] }, reading.place)
}

/** Goes into a folder: paths after it lie there. */
export const enter = (reading: Reading, call: LibraryCall): void => {
  const folders = pathTargets(reading.frame, [subjectOf(call)], 'content')
  moveTo(
    reading.frame.state,
    folders.map((one) => (one.zone === 'unresolved' ? undefined : one.path)),
  )
}

export const copy = ({ frame, place, by }: Reading, call: LibraryCall): void => {
  const content = readFiles(frame, place, by, [subjectOf(call)])
  writeFiles(frame, place, by, [toField(call.args[1])], content)
}

export const move = (reading: Reading, call: LibraryCall): void => {
  const { frame, place, by, language } = reading
  // `text.replace(a, b)` changes text, `path.replace(b)` moves a file.
  if (language === 'python' && call.dotted === '().replace' && call.args.length > 1) return
  const targets = targetsOf(reading, subjectOf(call))
  frame.engine.emit({ kind: 'fs.delete', by, targets, traits: ['inline-code'] }, place)
  writeFiles(frame, place, by, [toField(call.args[onReceiver(call) ? 0 : 1])], unknown())
}

export const link = (reading: Reading, call: LibraryCall): void => {
  const { frame, place, by } = reading
  const into = targetsOf(reading, toField(call.args[1]))
  for (const target of into)
    for (const source of targetsOf(reading, subjectOf(call))) frame.engine.scratch.links.set(target.path, source.path)
  frame.engine.emit({ kind: 'fs.write', by, targets: into }, place)
}
