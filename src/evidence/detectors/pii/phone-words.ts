import { isNamedOtherwise } from './surroundings.ts'

/** Names of telephone numbers, in lower case, by language. */
const NAMES = new RegExp(
  [
    // English.
    String.raw`(?<!smart|micro|head|ear|\bi)phone|\btel\b|\btel[.:#/]|\bph(?:one|n)?(?:[.:#]| (?:no|num)\b)|\bmob(?:ile)?(?:[.:#)"']|[ _-]?(?:no|nr|num|number)\b|[ _]is\b|\s?$)|mobile[_ ]?(?:number|no|phone)|\bcell\b|\bfax\b|landline|hotline|helpline|switchboard|voicemail|\bpager\b|msisdn|wa\.me/`,
    String.raw`whats?app|\bsms\b|\bviber\b|facetime|imessage|(?:contact|my|his|her|their|our|callback) (?:number|num|no|details?)\b|(?:direct|phone|office|home) line\b|number to (?:call|ring|dial|reach)`,
    // German, Dutch, Scandinavian, Finnish.
    String.raw`telef[oó]|\btlf|\bhandy|rufnummer|festnetz|durchwahl|\bmobi(?:el|l)\b|mobil(?:nummer|nr|tel)|\bgsm\b|puhelin|\bpuh[.:]`,
    // Romance languages.
    String.raw`t[ée]l[ée]ph|\bt[ée]l\b|\bportable ?(?:[.:]|au\b|est\b|\s?$)|tel[ée]f|\bt[ef]l?f[.:]|m[oó]vil|celular|telem[oó]vel|cellulare|recapito`,
    // Polish, Croatian, Turkish, and other scripts.
    String.raw`kom[oó]rk|\bkom[.:]|mobitel|\bcep(?: tel|te|[.:])`,
    'телефон|тел[.:]|моб[.:]|мобильн|сотов|факс|τηλ|κινητ|电话|電話|手机|手機|携帯|连絡先|联系方式|传真|전화|휴대|연락처|핸드폰|هاتف|جوال|تلفن|טלפון|נייד|फोन|फ़ोन|मोबाइल|โทร|điện thoại|☎|✆|📞|📱|📠|📲',
  ].join('|'),
)

/** Requests to call, write to or reach somebody, with few words up to the number. */
const REQUESTS = new RegExp(
  String.raw`(?:${[
    String.raw`\bcall(?:ing|ed|s)?(?: back)?(?=[ :])|call[ -]?back|\bdial(?:ling|ing|led|ed)?\b|\ba (?:ring|call|buzz|bell|text|shout) (?:at|on)\b`,
    String.raw`\b(?:reach|get|contact|text|ring|page|sms)(?:ing|ed|able|s)? (?:[\w' ]{1,24} )?(?:at|on|under|via|through)\b|\b(?:text|ring|reach|contact) (?:me|us|him|her|them)\b`,
    String.raw`messages? (?:to|on|at)\b|answering (?:at|on)\b`,
    String.raw`erreichbar|erreich(?:en|st|t)\b|rufen\b|\bruf (?:mich|uns|ihn|sie)\b|\bbel (?:me|mij|ons)\b|\bbellen|\bring(?:a|e)? (?:mig|meg|mej|oss|på)\b|\bsoita`,
    String.raw`appele[rz]|joindre|joignable|ll[aá]m(?:a|e|en|ar|ame|eme|adme|anos)\b|\blig(?:ue|a|ar|uem)\b|chiam(?:a|i|are|ami|atemi|ateci)\b`,
    String.raw`zadzwo|dzwoni|zavol|\bvolej|\baray[ıi]n|\barayabil|звон|致电|اتصل`,
  ].join('|')})[^"{}<>=;]{0,32}["'(<]{0,2}$`,
)

/** What often precedes telephone numbers and also others: enough next to the form of one. */
const HINTS =
  /\bcall|\bcontact|\breach|\bnumber|n[uú]mero|nummer|\bnumer\b|номер|\bmobile\b|\btext\b|\bring\b|\bdesk\b|\bdirect\b|\boffice\b|\bhome\b|\bwork\b|\bext\b|\bsignal\b|\btelegram\b|\bspeak\b|\bmessage|escr[ií]b|scriv|schreib|[ée]cri[sv]|\btalk\b|(?:^|[\n|,;·•(]\s{0,2})[tmpfdohwc][.:]\s{0,3}$/

/** Names that follow their number: `541-714-1388 (mobile)`, at the end of a line or a clause. */
const NAMES_AFTER =
  /^(?:[ ,]{0,2}(?:x|ext\.?) ?\d{1,6})?[ \t]{0,2}[-–—,(/|[]{0,2}[ \t]?(?:tele?(?:phone|fon)?|phone|mobile?|mob|cell(?:ular)?|handy|portable|m[oó]vil|celular|cellulare|fax|office|home|work|desk|direct|landline|whats?app|b[uü]ro|bureau|[mwho](?=\)))[ \t]{0,3}(?:[\n\r\\,;|)\].]|$)/i

/** A name of some other number, of a client, a bank, a shop, a document or a machine, right before the value. */
const OTHERS =
  /(?:(?:account|acct|konto|cuenta|compte|policy|claim|case|booking|reservation|confirmation|flight|\bmodel|\bpart|\blot|batch|parcel|shipment|waybill|receipt|passport|licen[cs]e|permit|registration|\bvat|\btax|\bein|\bssn|\bpin|\botp|pass(?:code|word)|\bcode|\bzip|\bplz|routing|\biban|\bbic|\bcard|transaction|bestell\w{0,12}|rechnung\w{0,12}|kunden\w{0,12}|auftrags?\w{0,10}|commande|pedido|factur[ae]|dossier|vorgang\w{0,8}|barcode|gtin|\basin|\bdoi|\bpmid|patent|\biso|\brfc|\bieee|\bdin|\bvin|chassis|\blat(?:itude)?|\bl(?:ng|ongitude)|coordinates?|total|amount|\bsum|price|balance|population|checksum|\bcrc|\bdate|\brelease)s?|(?:member(?:ship)?|customer|client|employee|staff|patient|student|user|device|product|article|item|asset|document|contract|file)["')\]]{0,2}[\s:#=_.-]{0,3}(?:no|nr|nummer|number|num|id|ref|code|n[°º]|#))["')\]]{0,2}(?:[\s:#=_.-]{1,3}(?:no|nr|nummer|number|num|id|ref|code|is|was|of|n[°º])){0,3}["'\s:#=.([-]{0,4}$/

const AMOUNT =
  /^[ ]?(?:[%€$£¥]|(?:eur|usd|gbp|chf|[kmgt]i?b|bytes|[mnµu]?s|sec|seconds|km|kg|m²|px|rows|users|people|times|items|views|downloads|inhabitants|miles|tokens|hits)\b)/i

/** How far the words about a telephone number extend before it. */
export const WORDS_LENGTH = 64

/** The name of a field right before its value, unless it only says whose or which number it is. */
const FIELD =
  /["'](?!(?:home|work|office|private|main|primary|other|default|value|number|no|text|content)["'])([^"'{}\n]{1,40})["']\s{0,2}:\s{0,2}\[?\s{0,2}["']?$/

/** Whether words before a number say that it is one of a telephone: the name of its field, where it has one. */
export const isNamedPhone = (before: string): boolean => {
  const said = FIELD.exec(before)?.[0] ?? before
  return NAMES.test(said) || REQUESTS.test(said)
}

/** Whether words before a number may speak of a telephone. */
export const hintsAtPhone = (before: string): boolean => HINTS.test(before)

/** Whether the words after a number say that it is one of a telephone. */
export const isNamedAfter = (after: string): boolean => NAMES_AFTER.test(after)

/** Whether a number is named one of an account, an order, a place or the like, or followed by a unit. */
export const isOtherNumber = (before: string, after: string): boolean =>
  OTHERS.test(before) ||
  AMOUNT.test(after) ||
  (isNamedOtherwise(before) && !/(?:direct|phone|office|home) line["'\s:#=_-]{0,6}$/.test(before))
