import { withoutMasks } from '../text/mask-text.ts'

/** A mask may begin before these words; it is shorter than this. */
const LONGEST_MASK = 64

/**
 * The text just before a place, in lower case; enough for a label or the words of a sentence. The words of masks are
 * omitted.
 */
export const wordsBefore = (text: string, at: number, length = 48): string =>
  withoutMasks(text.slice(Math.max(0, at - length - LONGEST_MASK), at))
    .slice(-length)
    .toLowerCase()

/** A name or word right before the value for some other kind of number. */
const OTHER_NUMBER =
  /(?:\b|_)(?:id|ids|uuid|guid|hash|sha\d*|md5|commit|rev(?:ision)?|build|order(?:[ _-]?(?:no|number|id))?|invoice|ticket|issue|tracking|ref(?:erence)?|serial|sku|isbn|ean|upc|imei|version|ver|v|timestamp|time|ts|epoch|nonce|seed|port|pid|offset|size|bytes|length|count|line|index|key|trace|span|request|snowflake)["'\s#:=_-]{0,6}(?:no\.?|number|is|=|:)?["'\s#:=]{0,4}$/

/** Whether the value right after is named an id, a hash, an order number, a time or similar. */
export const isNamedOtherwise = (before: string): boolean => OTHER_NUMBER.test(before)
