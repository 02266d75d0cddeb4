import type { SideEffectClass } from '../../../protocol/evidence.ts'
import { CHANGING, doingOf } from './tool-words.ts'

/** Beginnings of a description that mean more than the tool's name. */
const MORE: readonly (readonly [RegExp, SideEffectClass])[] = [
  [
    /\b(?:executes?|runs?) (?:an? |any |arbitrary |the (?:given )?)*(?:shell|bash|python|javascript|system|terminal|command|code|script)/i,
    'code_execution',
  ],
  [
    /\b(?:transfers?|sends?|pays?|moves?|withdraws?) (?:\w+ ){0,3}(?:money|funds|payment|crypto|usd|eth|btc)\b|\brefunds? (?:a|the)\b/i,
    'financial',
  ],
  [/\b(?:grants?|elevates?|assigns?) (?:\w+ ){0,3}(?:permissions?|access|roles?|admin)\b/i, 'privileged'],
  [
    /\b(?:sends?|posts?|publishes?|forwards?) (?:\w+ ){0,4}(?:e-?mails?|messages?|sms|tweets?|replies|notifications?|to (?:a|the) (?:channel|user|recipient))/i,
    'communication',
  ],
  [
    /^\W*(?:(?:permanently|immediately|manually) )?(?:deletes?|removes?|creates?|updates?|modif(?:y|ies)|overwrites?|writes?|uploads?|sets?|destroys?|drops?|sends?|submits?|triggers?|registers?|cancels?|invites?)\b/i,
    'external_write',
  ],
]

const LOOKS_ONLY =
  /^\W*(?:returns?|lists?|gets?|fetch(?:es)?|retrieves?|reads?|shows?|searches?|finds?|displays?|looks? up|queries|calculates?|computes?|converts?|checks?|provides?|describes?|echo(?:es)?|obtains?)\b/i

/** `List, grant, update, or revoke …`: the beginning of a description that lists the tool's actions. */
const ACTIONS = /^\W*((?:\w+, +){1,6}(?:(?:or|and) +)?\w+|\w+ (?:or|and) \w+)\b/

const listsChange = (sentence: string): boolean =>
  (ACTIONS.exec(sentence)?.[1] ?? '')
    .toLowerCase()
    .split(/\W+/)
    .some((word) => CHANGING.has(doingOf([word]).doing))

/** The first sentence: what follows are examples and advice. */
export const firstSentence = (text: string): string => (/^[^.!?\n]{0,400}/.exec(text.trim()) ?? [''])[0]

/** Whether a sentence describes reading, and no other action. */
export const describesReading = (sentence: string): boolean => LOOKS_ONLY.test(sentence) && !listsChange(sentence)

/** The class that a sentence implies for a tool that does more than reading; otherwise undefined. */
export const classOfDescription = (sentence: string): SideEffectClass | undefined => {
  if (/\b(?:without|does not|doesn't|never|no)\b/i.test(sentence)) return undefined
  return MORE.find(([pattern]) => pattern.test(sentence))?.[1] ?? (listsChange(sentence) ? 'external_write' : undefined)
}
