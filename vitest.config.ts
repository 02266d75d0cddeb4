import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'policies/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'threads',
    // No module keeps state (docs/architecture.md), so files may share a worker; it saves a third of the time.
    isolate: false,
    // Vitest would leave a core to its main thread, which has little to do: on two cores half of them.
    maxWorkers: availableParallelism(),
  },
})
