import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'policies/**/*.test.ts'],
    testTimeout: 20_000,
    pool: 'threads',
  },
})
