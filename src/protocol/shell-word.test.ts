import { expect, test } from 'vitest'
import { shellWord, singleQuoted } from './shell-word.ts'

test.each([
  { text: 'a/b.c:8080', word: 'a/b.c:8080' },
  { text: '', word: "''" },
  { text: 'a b', word: "'a b'" },
  { text: '~', word: "'~'" },
  { text: "it's $HOME", word: String.raw`'it'\''s $HOME'` },
])('$text is the word $word', ({ text, word }) => {
  expect(shellWord(text)).toBe(word)
  if (word !== text) expect(singleQuoted(text)).toBe(word)
})
