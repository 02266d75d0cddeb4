/** Fills npm/openclaw/, a plugin that OpenClaw installs by itself; its manifests are checked in (`npm run generate`). */
import { join } from 'node:path'
import { bundleOpenClaw } from './openclaw-bundle.ts'

await bundleOpenClaw(join(import.meta.dirname, '..', 'npm', 'openclaw'))
