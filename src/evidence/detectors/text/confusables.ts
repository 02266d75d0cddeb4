/**
 * Letters of other scripts with the Latin letter that they look like. Deliberately few: those drawn alike in common
 * fonts (compare Unicode TR 39), not merely similar ones.
 */
const PAIRS =
  'ьb ЬB аa еe оo рp сc уy хx іi јj ѕs һh ԁd ԛq ԝw ӏl ԍG ꞓc АA ВB ЕE КK МM НH ОO РP СC ТT ХX УY ІI ЈJ ЅS ҮY ԌG ԚQ ԜW ' +
  'αa οo νv ρp ιi κk υu γy ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ' +
  'օo ոn սu հh աw ցg զq ᴏo ᴄc ᴠv ᴡw ᴢz ɑa ɢg ɡg ɩi ⅼl ⅰi ℓl ｏo'

/**
 * Letters that are merely similar: enough to read a word, too little for an impostor. Small capitals, Cherokee, Lisu,
 * and slightly different letters of Cyrillic and Armenian.
 */
const SIMILAR =
  'кk мm нh тt вb гr пn ѵv ѡw зz єe ɴn ʀr ʏy ʟl ʙb ᴀa ᴅd ᴇe ꜰf ʜh ᴊj ᴋk ᴍm ᴘp ꜱs ᴛt ᴜu ıi ȷj ſs ƒf ΟO ϲc ϳj ɪi ' +
  'ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᏆI ᎫJ ᏦK ᏞL ᎷM ᏢP ᏒR ᏚS ᎢT ᏙV ᎳW ᏃZ ' +
  'ꓐB ꓑP ꓓD ꓔT ꓖG ꓗK ꓙJ ꓚC ꓜZ ꓝF ꓟM ꓠN ꓡL ꓢS ꓣR ꓦV ꓧH ꓪW ꓫX ꓬY ꓮA ꓰE ꓲI ꓳO ꓴU'

const pairsOf = (pairs: string): readonly (readonly [from: string, to: string])[] =>
  pairs.split(' ').flatMap((pair) => {
    const [from, to] = Array.from(pair)
    return from === undefined || to === undefined ? [] : [[from, to] as const]
  })

const LATIN_OF: ReadonlyMap<string, string> = new Map(pairsOf(PAIRS))
const SIMILAR_OF: ReadonlyMap<string, string> = new Map(pairsOf(SIMILAR))

/**
 * Greek small letters occur next to Latin ones in formulas and names of substances (TNFα, NFκB) and are not evidence
 * there.
 */
const IN_FORMULAS = new Set('ανρικυγ')

/** A text with each such letter replaced by its Latin look-alike. */
export const skeletonOf = (text: string): string =>
  text.replaceAll(/[^\0-\x7f]/gu, (char) => LATIN_OF.get(char) ?? char)

/** Whether a letter imitates a Latin one and does not belong inside a Latin word. */
export const isImpostor = (char: string): boolean => LATIN_OF.has(char) && !IN_FORMULAS.has(char)

/** The Latin letter that a letter looks like or resembles, among Latin letters. */
export const plainLetter = (char: string): string | undefined => LATIN_OF.get(char) ?? SIMILAR_OF.get(char)
