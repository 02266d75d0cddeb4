import { describe, expect, test } from 'vitest'
import type { Fact } from './facts.ts'
import { createLabelJournal } from './label-journal.ts'
import type { LabelChange } from './label-store.ts'

const read = (source: string): Fact => ({ fact: 'read', source })

/** A store that fails when told to, and what it was given. */
const make = (all: readonly Fact[] = [read('all')]) => {
  const put: (readonly LabelChange[])[] = []
  const failures: boolean[] = []
  const journal = createLabelJournal(
    {
      put: async (changes) => {
        put.push(changes)
        if (failures.shift() === true) throw new Error('disk full')
      },
    },
    () => all,
  )
  return { journal, put, failures }
}

describe('what was learnt on its way to the store', () => {
  test('goes there together, and nothing goes when there is nothing', async () => {
    const { journal, put } = make()
    await journal.settled()
    journal.note('a', read('1'))
    journal.note('b', read('2'))
    journal.note('a', read('3'))
    await journal.settled()
    expect(put).toEqual([
      [
        { owner: 'a', how: 'add', facts: [read('1'), read('3')] },
        { owner: 'b', how: 'add', facts: [read('2')] },
      ],
    ])
  })

  test('a failure to store is reported, and then everything about the owner is dropped', async () => {
    const { journal, put, failures } = make()
    failures.push(true)
    journal.note('a', read('1'))
    await expect(journal.settled()).rejects.toThrow('disk full')
    expect(journal.isPending('a')).toBe(true)
    await journal.settled()
    expect(put[1]).toEqual([{ owner: 'a', how: 'replace', facts: [read('all')] }])
    expect(journal.isPending('a')).toBe(false)
  })

  test('a failure is not hidden by a later change that was kept', async () => {
    const { journal, put, failures } = make()
    failures.push(true, false, true)
    journal.note('a', read('1'))
    journal.flush()
    journal.note('b', read('2'))
    journal.flush()
    await expect(journal.settled()).rejects.toThrow('disk full')
    expect(put.map((changes) => changes.map(({ owner, how }) => `${owner} ${how}`))).toEqual([
      ['a add'],
      ['b add'],
      ['a replace'],
    ])
  })

  test('an owner whose facts have grown is written anew as a whole', async () => {
    const { journal, put } = make([read('all')])
    const keys = Array.from({ length: 20_000 }, (_, number) => String(number))
    journal.note('a', { fact: 'named', by: 'untrusted', keys })
    await journal.settled()
    journal.note('a', read('next'))
    await journal.settled()
    expect(put.map(([change]) => change?.how)).toEqual(['replace', 'add'])
  })
})
