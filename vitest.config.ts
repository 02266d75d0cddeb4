import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'policies/**/*.test.ts'],
    testTimeout: 60_000,
    pool: 'threads',
    // No module keeps state (docs/architecture.md), so files may share a worker; it saves a third of the time.
    isolate: false,
    // Vitest would leave a core to its main thread, which has little to do: on two cores half of them.
    maxWorkers: availableParallelism(),
    // For the programs that tests start: Node keeps what it compiled of the sources, by their hash.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/node') },
  },
})
