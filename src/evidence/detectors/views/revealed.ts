import { revealHidden } from '../text/reveal.ts'
import type { View } from './view.ts'
import { createViewBuilder } from './view.ts'

/** Characters that show nothing, of the kinds that carry texts. */
const UNSEEN = /[\ufe00-\ufe0f\u200b-\u200f\u2060-\u206f\ufeff\udb40-\udb43]/

/** Texts that stand in characters that show nothing. */
export const revealedViews = (text: string): readonly View[] => {
  if (!UNSEEN.test(text)) return []
  return revealHidden(text).map(({ text: said, start, end }) => {
    const view = createViewBuilder(text)
    view.put(said, start, end)
    return view.done()
  })
}
