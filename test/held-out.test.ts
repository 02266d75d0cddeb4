import { describe, expect, test } from 'vitest'
import { figuresFor } from '../bench/evidence/held-out.ts'
import { readInjectionModel } from '../src/assembly/detection/detectors.ts'
import { measuredPart } from '../scripts/train/page.ts'
import type { CrossValidation, Judged } from '../scripts/train/cross-validate.ts'

const judged = (source: string, attack: boolean, score: number): Judged => ({
  sample: { text: '', attack, source, kind: '', channel: 'tool', folds: [1], weight: 1 },
  score,
  found: score >= 0.5,
  grave: false,
  ngrams: 0,
  words: 0,
})

const model = readInjectionModel()
const file = Uint8Array.of(1, 2, 3)
const ran: CrossValidation = {
  judged: [
    judged('pi_asb_opi', true, 0.9),
    judged('pi_asb_opi', true, 0.1),
    ...Array.from({ length: 4 }, () => judged('benign_code', false, 0.2)),
    // Written here: counted by itself, and neither for nor against the channel.
    judged('written mail', false, 0.8),
    judged('pi_asb_opi in results', true, 0.9),
  ],
  texts: new Map(),
  calibrations: [],
  model,
  file,
  summary: '',
}

/** What is given and said of a cross-validation, against what ships. */
const given = (shipped: Uint8Array, page: string) => {
  const said: string[] = []
  return { figures: figuresFor(ran, { model: shipped, page }, (line) => said.push(line)), said }
}

describe('figures of injection on held-out sources', () => {
  test('of a channel all that others collected, a set by itself what was put together here', () => {
    const { figures, said } = given(file, measuredPart(ran))
    expect(said).toEqual([])
    expect(figures).toMatchObject({
      'injection.model_is_reproduced': 1,
      'injection.page_is_current': 1,
      'injection_tool.auc': 0.5,
      'injection_tool.tpr_at_1pct_fpr': 0.5,
      'injection_tool.fpr': 0,
      'pi_asb_opi.injection_tpr': 0.5,
      'pi_asb_opi_in_results.injection_tpr': 1,
      'written_mail.injection_fpr': 1,
    })
  })

  test('none for a model that is not the one that ships', () => {
    const { figures, said } = given(Uint8Array.of(1, 2, 4), measuredPart(ran))
    expect(figures).toEqual({ 'injection.model_is_reproduced': 0 })
    expect(said).toEqual([expect.stringContaining('NOT MEASURED')])
  })

  test('a page with other figures is reported', () => {
    const { figures, said } = given(file, measuredPart(ran).replace('50.0 %', '60.0 %'))
    expect(figures['injection.page_is_current']).toBe(0)
    expect(said).toEqual([expect.stringContaining('docs/injection-figures.md')])
  })
})
