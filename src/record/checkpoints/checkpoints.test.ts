import { createHash, generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../stores/memory.ts'
import { compareCheckpoints, growTree, readCheckpoint, splitNotes, writeCheckpoint } from './checkpoint.ts'
import { createMerkleTree } from './merkle-tree.ts'
import { openNote, readVerifier, signNote, writeVerifier } from './signed-note.ts'

/** The leaves and roots of the reference implementation's own tests (Certificate Transparency). */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

describe('the Merkle tree', () => {
  test('has the roots of RFC 6962', () => {
    const tree = createMerkleTree()
    const roots = [tree.root().toString('hex')]
    for (const leaf of LEAVES) {
      tree.add(Buffer.from(leaf, 'hex'))
      roots.push(tree.root().toString('hex'))
    }
    expect(roots).toEqual(ROOTS)
  })

  test('law: it is the tree as the RFC defines it, from the leaves down', () => {
    const sha = (...parts: Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()
    const defined = (leaves: readonly Buffer[]): Buffer => {
      if (leaves.length === 0) return sha()
      if (leaves.length === 1) return sha(Buffer.from([0]), leaves[0] as Buffer)
      let half = 1
      while (half * 2 < leaves.length) half *= 2
      return sha(Buffer.from([1]), defined(leaves.slice(0, half)), defined(leaves.slice(half)))
    }
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 4 }), { maxLength: 70 }), (given) => {
        const leaves = given.map((one) => Buffer.from(one))
        const tree = createMerkleTree()
        for (const leaf of leaves) tree.add(leaf)
        expect(tree.root()).toEqual(defined(leaves))
      }),
    )
  })
})

describe('signed notes', () => {
  test('one signed by another implementation opens (golang.org/x/mod/sumdb/note)', () => {
    const verifier = readVerifier('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW')
    const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    const note = `${text}\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`
    expect(verifier).toBeDefined()
    if (verifier !== undefined) expect(openNote(note, verifier)).toBe(text)
  })

  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const name = 'guard.example/log'
  const verifier = { name, publicKey }

  test('a signed note opens, and its verifier key reads back', () => {
    const note = signNote('a\nb\n', { name, privateKey })
    expect(openNote(note, verifier)).toBe('a\nb\n')
    const read = readVerifier(writeVerifier(verifier))
    expect(read === undefined ? undefined : openNote(note, read)).toBe('a\nb\n')
  })

  test('a note with any byte changed does not open', () => {
    const note = Buffer.from(signNote('origin\n5\nroot\n', { name, privateKey }))
    fc.assert(
      fc.property(fc.nat({ max: note.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(note)
        changed[at] = (changed[at] as number) ^ by
        const opened = openNote(changed.toString(), verifier)
        // Base64 has spare bits at its end that change nothing of the signature.
        if (opened !== undefined) expect(opened).toBe('origin\n5\nroot\n')
        if (at < 'origin\n5\nroot\n'.length) expect(opened).toBeUndefined()
      }),
    )
  })

  test('one of another key, or of the same key under another name, does not open', () => {
    const other = generateKeyPairSync('ed25519')
    expect(openNote(signNote('a\n', { name, privateKey: other.privateKey }), verifier)).toBeUndefined()
    expect(openNote(signNote('a\n', { name: 'other', privateKey }), verifier)).toBeUndefined()
  })

  test.each(['', 'a', 'name+00000000+AQ==', 'PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'])(
    '%j is not a verifier key',
    (text) => {
      expect(readVerifier(text)).toBeUndefined()
    },
  )
})

describe('checkpoints', () => {
  const filled = async (events: number) => {
    const store = createMemoryStore()
    for (let n = 0; n < events; n++) await store.append({ session: 'guard', type: 'T', at: n, body: { n } })
    return store
  }
  const checkpointOf = async (store: Awaited<ReturnType<typeof filled>>) => {
    const tree = createMerkleTree()
    await growTree(tree, store)
    return { origin: 'o', size: tree.size(), root: tree.root() }
  }

  test('the text reads back', async () => {
    const checkpoint = await checkpointOf(await filled(5))
    expect(readCheckpoint(writeCheckpoint(checkpoint))).toEqual(checkpoint)
  })

  test.each(['', 'o', 'o\n5', 'o\n05\nAAAA\n', 'o\n5\nAAAA\n', `\n5\n${Buffer.alloc(32).toString('base64')}\n`])(
    '%j is not a checkpoint',
    (text) => {
      expect(readCheckpoint(text)).toBeUndefined()
    },
  )

  test('notes of one file are read apart', () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const notes = ['o\n1\nr\n', 'o\n2\nr\n'].map((text) => signNote(text, { name: 'n', privateKey }))
    expect(splitNotes(notes.join('\n'))).toEqual(notes)
    expect(splitNotes(notes.join(''))).toEqual(notes)
    expect(splitNotes('')).toEqual([])
  })

  test('a checkpoint stays valid while the chain grows', async () => {
    const store = await filled(5)
    const early = await checkpointOf(store)
    await store.append({ session: 'guard', type: 'T', at: 6, body: {} })
    const late = await checkpointOf(store)
    expect([...(await compareCheckpoints([late, early], store)).values()]).toEqual(['holds', 'holds'])
  })

  test('a truncated chain is shorter, a rewritten one is another', async () => {
    const checkpoint = await checkpointOf(await filled(5))
    expect([...(await compareCheckpoints([checkpoint], await filled(4))).values()]).toEqual(['shorter'])
    const other = createMemoryStore()
    for (let n = 0; n < 9; n++) await other.append({ session: 'guard', type: 'T', at: n, body: { n: n + 1 } })
    expect([...(await compareCheckpoints([checkpoint], other)).values()]).toEqual(['other'])
  })
})
