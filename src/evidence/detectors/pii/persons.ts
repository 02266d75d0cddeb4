import type { Candidate, KeywordRule } from '../rule.ts'

const CAPITAL = 'A-ZÀ-ÖØ-Þ'
const LETTER = 'A-Za-zÀ-ÖØ-öø-ÿ'

/** Capitalised words, with particles of nobility in between. */
const NAME = `[${CAPITAL}][${LETTER}'’-]{1,25}(?: (?:(?:de|del|della|di|da|dos|van|von|der|den|bin|al|la) ){0,2}[${CAPITAL}][${LETTER}'’.-]{0,25}){0,3}`

const LABEL =
  '(?:[Mm]y name|[Ff](?:ull|irst)[ _]?[Nn]ame|[Ll]ast[ _]?[Nn]ame|[Ss]urname|(?:[Pp]a(?:tient|ssenger)|[Cc]ustomer|[Mm]aiden)[ _]?[Nn]ame|[Cc]ardholder(?:[ _]?[Nn]ame)?|[Aa]ccount holder)'

const BETWEEN = String.raw`(?:'s)?(?: is|["']{0,1}[ \t]{0,3}[:=])[ \t]{1,3}["']{0,1}`

/** Words after such a label that are not a name: words of forms and code, and names of examples. */
const NOT_A_NAME =
  /^(?:The|This|That|Your|Not|None|Null|Undefined|String|Text|Required|Optional|Unknown|Name|First|Last|Full|Field|Value|Type|Example|Test|User|Admin|(?:John|Jane) (?:Doe|Smith)|Foo|Bar)\b|^[A-Z]{3,}$|Assistant/

const assessName = ({ value }: Candidate): number | undefined => (NOT_A_NAME.test(value) ? undefined : 0.7)

/** Number and name of a street, before the word for a street. */
const STREET = `(?<![A-Za-z0-9.])(\\d{1,5}[A-Za-z]?,? (?:[NSEW]\\.? )?(?:[${CAPITAL}][${LETTER}'.-]{1,20} ){0,2}[${CAPITAL}0-9][${LETTER}0-9'.-]{1,20})`

/** Optional parts after it: the flat, the town, the state and its code. */
const TOWN = `(?:,? (?:Apt|Suite|Unit|Flat)\\.? ?#?[A-Za-z0-9-]{1,6})?(?:, ?[${CAPITAL}][${LETTER}.'-]{1,20}(?: [${CAPITAL}][${LETTER}.'-]{1,20}){0,2})?(?:,? [A-Z]{2})?(?: \\d{4,5}(?:-\\d{4})?)?`

/** A year before a name is a copyright notice, unless a town follows. */
const noYear = ({ value }: Candidate): number | undefined =>
  /^(?:19|20)\d{2} /.test(value) && !/,/.test(value) ? undefined : 0.75

const address = (row: Pick<KeywordRule, 'anchors' | 'pattern'>): KeywordRule => ({
  type: 'postal-address',
  severity: 'low',
  confidence: 0.75,
  assess: noYear,
  ...row,
})

/** Names of people and postal addresses next to words that announce them; unannounced ones are not found. */
export const PERSON_RULES: readonly KeywordRule[] = [
  {
    type: 'person-name',
    severity: 'low',
    confidence: 0.7,
    anchors: [
      'my name',
      ...['full', 'first', 'last', 'patient', 'passenger', 'customer', 'maiden'].flatMap((word) =>
        ['', ' ', '_'].map((joint) => `${word}${joint}name`),
      ),
      'surname',
      'cardholder',
      'account holder',
    ],
    pattern: `(?<![A-Za-z])${LABEL}${BETWEEN}(${NAME})`,
    assess: assessName,
  },
  address({
    anchors:
      ' street, st., avenue, ave, road, rd, lane, drive, blvd, boulevard, court, square, terrace, crescent, parkway, highway'.split(
        ',',
      ),
    pattern: `(?<=${STREET}) (?:Street|St\\.|Avenue|Ave\\.?|Road|Rd\\.?|Lane|Drive|Blvd\\.?|Boulevard|Court|Square|Terrace|Crescent|Parkway|Highway)(?![A-Za-z])(${TOWN})`,
  }),
  address({
    anchors: [' apt', ' suite ', ' unit '],
    pattern: `(?<=${STREET})( (?:Apt\\.?|Suite|Unit) ?#?\\d{1,5}[A-Za-z]?)(?![A-Za-z0-9])`,
  }),
  address({
    // Germany, Austria, Switzerland.
    anchors: ['stra', 'gasse ', 'weg ', 'platz ', 'allee '],
    pattern: String.raw`(?<=(?<![A-Za-zÀ-ÿ])([A-ZÄÖÜ][a-zäöüß-]{0,24}[ -]?))(?:[Ss]tra(?:ß|ss)e|[Ss]tr\.|gasse|weg|platz|allee)( \d{1,4}[a-z]?(?:, \d{4,5} [A-ZÄÖÜ][A-Za-zäöüß-]{1,30})?)(?![A-Za-z0-9]|\.\d)`,
  }),
  address({
    // France.
    anchors: [' rue ', ' avenue de', ' boulevard de', ' place de'],
    pattern: `(?<=(?<![A-Za-z0-9.])(\\d{1,4}(?: bis| ter)?,?)) (?:rue|avenue|boulevard|place) ((?:de |du |des |la |l'){0,2}[${CAPITAL}][${LETTER}'-]{1,24}(?: [${CAPITAL}][${LETTER}'-]{1,24}){0,3}(?:, \\d{5} [${CAPITAL}][${LETTER}'-]{1,30})?)`,
  }),
]
