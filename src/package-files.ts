import { join } from 'node:path'

/**
 * Where the files lie that ship beside the code. Whatever is built from these sources keeps this layout: the code in one
 * folder (`src/`, `dist/`, or a bundle's), and these beside that folder. In a bundle this module is part of a file that
 * lies in such a folder itself.
 */

/** The folder of the installed package: none of it is an agent's to change. */
export const PACKAGE_FOLDER = join(import.meta.dirname, '..')

/** A file or folder of the package, by its path below it. */
const packageFile = (...path: readonly string[]): string => join(PACKAGE_FOLDER, ...path)

/** Name, version and the like, JSON. */
export const MANIFEST = packageFile('package.json')

/** The packs of policies, a folder each. */
export const PACKS = packageFile('policies')

/** Weights of the model that finds injections: 2 MB, made by `npm run train`. */
export const INJECTION_MODEL = packageFile('models', 'injection.bin')

/** The built plugin for OpenClaw: the folder that the host loads. */
export const OPENCLAW_PLUGIN = packageFile('npm', 'openclaw')
