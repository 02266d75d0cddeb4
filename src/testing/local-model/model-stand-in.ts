import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linearModel } from './onnx.ts'

const MARKS = ['[UNK]', '[CLS]', '[SEP]']

const special = (content: string, id: number) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
})

const tokenizer = (vocabulary: readonly string[]) => ({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: MARKS.map(special),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: Object.fromEntries(
      ['[CLS]', '[SEP]'].map((mark) => [mark, { id: mark, ids: [MARKS.indexOf(mark)], tokens: [mark] }]),
    ),
  },
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(vocabulary.map((word, at) => [word, at])),
  },
})

/** What a model stand-in finds. */
export interface ModelStandInOptions {
  /** Words, in lower case, of which one makes a text an attack. */
  readonly words: readonly string[]
  /** Names of the two labels, the harmless one first. */
  readonly labels?: readonly [string, string]
}

/**
 * Writes a small text classifier into a folder, as trained ones are published: an ONNX file, a tokenizer (WordPiece) and
 * the names of its labels. It runs on the real runtime.
 */
export const writeModelStandIn = (
  folder: string,
  { words, labels = ['BENIGN', 'MALICIOUS'] }: ModelStandInOptions,
): void => {
  const vocabulary = [...MARKS, ...words]
  const weights = vocabulary.map((word): readonly [number, number] =>
    word === '[CLS]' ? [4, 0] : MARKS.includes(word) ? [0, 0] : [0, 12],
  )
  const write = (name: string, content: unknown): void => {
    writeFileSync(join(folder, name), content instanceof Uint8Array ? content : JSON.stringify(content))
  }
  write('model.onnx', linearModel(weights))
  write('tokenizer.json', tokenizer(vocabulary))
  write('tokenizer_config.json', { model_max_length: 512 })
  write('config.json', { id2label: { 0: labels[0], 1: labels[1] } })
}
