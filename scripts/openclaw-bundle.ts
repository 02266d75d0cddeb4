import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'
import { manifestText, packageText } from './openclaw-manifest.ts'
import { INJECTION_MODEL, PACKAGE_FOLDER, PACKS } from '../src/package/package-files.ts'
import { isObject } from '../src/protocol/json.ts'
import { VERSION } from '../src/package/version.ts'

/** WebAssembly, byte for byte as its package ships it; its loader reads it from beside the code. */
const WASM = [
  'node_modules/@cedar-policy/cedar-wasm/nodejs/cedar_wasm_bg.wasm',
  'node_modules/libpg-query/wasm/libpg-query.wasm',
] as const

/** What is written anew beside the manifests. */
const WRITTEN = ['dist', 'models', 'policies', 'LICENSE', 'THIRD-PARTY.txt'] as const

/** Older packages ask for Node's own modules by `require`, which a module of the new kind does not have. */
const requiredBuiltins: Plugin = {
  name: 'required-builtins',
  setup(bundler) {
    bundler.onResolve({ filter: /^(?:node:)?[\w/]+$/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path)
        ? { path: path.replace(/^(?!node:)/, 'node:'), namespace: 'required' }
        : undefined,
    )
    bundler.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `export * from '${path}'; export { default } from '${path}'`,
    }))
  },
}

const PACKAGE_OF = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** Folders of the packages whose code is in the bundle. */
const packagesIn = ({ outputs }: Metafile): readonly string[] => {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  const code = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => PACKAGE_OF.exec(path)?.[1])
  return [...new Set(code)].filter((folder) => folder !== undefined).toSorted()
}

const noticeOf = (folder: string): string => {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (!isObject(manifest)) throw new Error(`${folder} has no manifest`)
  const { name, version, license } = manifest
  if (typeof license !== 'string') throw new Error(`${folder} names no licence`)
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `${String(name)} ${String(version)} (${license})\n${text}`
}

/** How the plugin is bundled, but for where it is written to. */
export const BUNDLED: BuildOptions & { readonly metafile: true } = {
  absWorkingDir: PACKAGE_FOLDER,
  entryPoints: ['src/openclaw-plugin/index.ts'],
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  mainFields: ['module', 'main'],
  define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
  plugins: [requiredBuiltins],
  legalComments: 'none',
}

/**
 * Writes the plugin of OpenClaw into a folder: a small entry, which the host evaluates several times in one process, the
 * guard behind one lazy import, and the files that ship beside the code, laid out as in this package. No other package is
 * needed to run it.
 */
export const bundleOpenClaw = async (folder: string): Promise<Metafile> => {
  for (const one of WRITTEN) rmSync(join(folder, one), { recursive: true, force: true })
  writeFileSync(join(folder, 'package.json'), packageText(VERSION))
  writeFileSync(join(folder, 'openclaw.plugin.json'), manifestText(VERSION))
  const { metafile } = await build({ ...BUNDLED, outdir: join(folder, 'dist') })
  for (const file of WASM) cpSync(join(PACKAGE_FOLDER, file), join(folder, 'dist', basename(file)))
  mkdirSync(join(folder, 'models'))
  cpSync(INJECTION_MODEL, join(folder, 'models', basename(INJECTION_MODEL)))
  for (const pack of readdirSync(PACKS)) {
    const policies = join(pack, 'policies.cedar')
    if (!existsSync(join(PACKS, policies))) continue
    mkdirSync(join(folder, 'policies', dirname(policies)), { recursive: true })
    cpSync(join(PACKS, policies), join(folder, 'policies', policies))
  }
  cpSync(join(PACKAGE_FOLDER, 'LICENSE'), join(folder, 'LICENSE'))
  const notices = packagesIn(metafile).map((one) => noticeOf(join(PACKAGE_FOLDER, one)))
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`))
  return metafile
}
