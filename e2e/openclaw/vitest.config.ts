import { dirname } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // The same root as for the other hosts, so that a test file is named the same way.
    root: dirname(import.meta.dirname),
    include: ['openclaw/**/*.test.ts'],
    globalSetup: ['openclaw/one-gateway.ts'],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // One gateway for all files, and its configuration is switched between them.
    fileParallelism: false,
    maxWorkers: 1,
  },
})
