import { createRequire } from 'node:module'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { writeModelStandIn } from '../../src/testing/index.ts'
import type { ModelStandInOptions } from '../../src/testing/index.ts'

/** Whether the packages that run models are there; they are optional for users, and needed for development. */
export const hasRuntime = ['onnxruntime-web', '@huggingface/tokenizers'].every((name) => {
  try {
    return createRequire(import.meta.url).resolve(name) !== ''
  } catch {
    return false
  }
})

/** A folder that ends with the test. */
export const testFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-model-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** The folder of a small model; it ends with the test. */
export const modelFolder = (options: ModelStandInOptions): string => {
  const folder = testFolder()
  writeModelStandIn(folder, options)
  return folder
}
