import { expect, test } from 'vitest'
import type { TestContext } from 'vitest'

/** One thing a standard asks for. */
export interface Requirement {
  /** Stable, and unique within its manifest. */
  readonly id: string
  /** The clause of the standard. */
  readonly clause: string
  /** In one sentence, of whoever conforms. */
  readonly says: string
}

/** Declares tests that prove requirements, and one that fails when a requirement has none. */
export interface Prover {
  /** A test that names the requirements it proves. @throws Error when one does not exist */
  readonly prove: (ids: readonly string[], name: string, run: (context: TestContext) => Promise<void> | void) => void
  /** Every row of a table is a test of its own; each names what it proves. */
  readonly proveEach: <Row extends { readonly name: string; readonly proves: readonly string[] }>(
    rows: readonly Row[],
    run: (row: Row) => Promise<void> | void,
  ) => void
  /** To be called last in the file with all tests of a manifest. */
  readonly close: () => void
}

/** Opens a manifest. @throws Error when two requirements have one id */
export const openManifest = (requirements: readonly Requirement[]): Prover => {
  const unproven = new Set(requirements.map(({ id }) => id))
  const known = new Set(unproven)
  if (known.size !== requirements.length) throw new Error('Two requirements have one id.')
  const prove: Prover['prove'] = (ids, name, run) => {
    if (ids.length === 0) throw new Error(`The test "${name}" names nothing that it proves.`)
    for (const id of ids) {
      if (!known.has(id))
        throw new Error(`The test "${name}" says that it proves ${id}, which the manifest does not hold.`)
      unproven.delete(id)
    }
    test(`${name} [${ids.join(' ')}]`, run)
  }
  return Object.freeze<Prover>({
    prove,
    proveEach: (rows, run) => {
      for (const row of rows) prove(row.proves, row.name, async () => run(row))
    },
    close: () => {
      test('every requirement of the manifest is proven by some test', () => {
        expect([...unproven]).toEqual([])
      })
      test.each(requirements)('$id says in one sentence, with its clause, what is asked for', ({ clause, says }) => {
        expect(clause).toMatch(/\S/)
        expect(says).toMatch(/^[A-Z`].*[^.]\.$/)
      })
    },
  })
}
