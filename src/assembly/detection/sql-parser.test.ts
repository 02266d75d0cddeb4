import { expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { createSqlParser } from './sql-parser.ts'
import { createTextScanner } from './text-scan.ts'

test('the parser is loaded on first use, and returns errors until then', async () => {
  const parser = createSqlParser()
  expect(parser.parse('select 1')).toEqual({ error: 'The parser is not loaded.' })
  await parser.load()
  expect(parser.parse('select 1')).toHaveProperty('tree.stmts.length', 1)
  expect(parser.parse('selec 1')).toHaveProperty('error')
})

test('deep nesting is an error, and the parser continues', async () => {
  const parser = createSqlParser()
  await parser.load()
  expect(parser.parse(`select ${'('.repeat(20_000)}1`)).toHaveProperty('error')
  expect(parser.parse('select 1')).toHaveProperty('tree')
})

test('a parser that cannot be had is an error of every question', async () => {
  const parser = createSqlParser(async () => Promise.reject(new Error('none')))
  await parser.load()
  expect(parser.parse('select 1')).toHaveProperty('error')
})

test('the parser handed in is the one that detectors ask', async () => {
  const asked: string[] = []
  const sql = {
    load: async () => Promise.resolve(),
    parse: (text: string) => {
      asked.push(text)
      return { error: 'none' }
    },
  }
  createTextScanner(loadConfig([]), sql).scan('DELETE FROM a', 'agent')
  expect(asked).toEqual(['DELETE FROM a'])
})
