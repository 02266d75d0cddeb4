/** A 53-bit number for a text: two multiplicative hashes side by side. Distinguishes specimens, hides nothing. */
export const fingerprint = (text: string): number => {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    low = Math.imul(low ^ code, 2_654_435_761)
    high = Math.imul(high ^ code, 1_597_334_677)
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  return 4_294_967_296 * (2_097_151 & high) + (low >>> 0)
}

/**
 * Keys of valid form that their providers publish in documentation, samples or emulators: everyone has them, and they
 * give no access. Stored as fingerprints, so that no file here contains anything that looks like a key.
 */
const SPECIMENS: ReadonlySet<number> = new Set([
  // The storage and database emulators of Azure.
  5831805655576729, 2477484408446768,
  // Tokens in the documentation of GitHub, Slack and Stripe.
  1720214237779101, 7164766579286193, 5782771560168237, 855063928057786, 2524134997624883, 6110629581943856,
  7653738485708318, 1304216600575203,
  // Keys in the samples of Google's own libraries and maps documentation.
  721196153832724, 8497414088307628, 7036944220851356, 5732919948332891, 3911976788109883, 4933605610896726,
  657410318261101, 2751100365971211, 113120455310544, 306581521565733, 2935222813301553, 2838819447952724,
  5928169423750503, 1303844265829148, 8958156804696153, 6272157116333309, 2582419435021869,
])

/** Longer values are not specimens. */
const LONGEST = 128

/** The example token of every page about web tokens: a John Doe whose number is ten digits in a row. */
const isPrintedToken = (value: string): boolean => {
  if (!value.startsWith('eyJ')) return false
  try {
    const payload = atob((value.slice(0, 1024).split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    return payload.includes('"1234567890"') && payload.includes('"John Doe"')
  } catch {
    return false
  }
}

/** Whether a value was published by its provider. */
export const isSpecimen = (value: string): boolean =>
  (value.length <= LONGEST && SPECIMENS.has(fingerprint(value))) || isPrintedToken(value)
