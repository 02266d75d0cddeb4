import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Io } from './io.ts'

/** The result: the saved text, or why it is missing. */
export type Edited =
  | { readonly outcome: 'saved'; readonly text: string }
  | { readonly outcome: 'failed'; readonly why: string }

/** The command of the person's editor, with its options. */
const editorOf = (env: Io['env']): string | undefined =>
  [env['VISUAL'], env['EDITOR']].find((one) => one !== undefined && one.trim() !== '')

const run = async (editor: string, file: string, env: Io['env']): Promise<string | undefined> => {
  try {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env })
    const [code] = (await once(child, 'exit')) as [number | null]
    return code === 0 ? undefined : `${editor} exited with ${code ?? 'a signal'}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Lets a person edit a text in their editor.
 * @param folder that only they can read, and no agent may write to
 * @param name of the file, for the editor to know what is in it
 */
export const editText = async (
  { text, folder, name }: { readonly text: string; readonly folder: string; readonly name: string },
  env: Io['env'],
): Promise<Edited> => {
  const editor = editorOf(env)
  if (editor === undefined) return { outcome: 'failed', why: 'neither VISUAL nor EDITOR is set' }
  const place = await mkdtemp(join(folder, 'edit-'))
  try {
    const file = join(place, name)
    await writeFile(file, text, { mode: 0o600 })
    const why = await run(editor, file, env)
    return why === undefined ? { outcome: 'saved', text: await readFile(file, 'utf8') } : { outcome: 'failed', why }
  } finally {
    await rm(place, { recursive: true })
  }
}
