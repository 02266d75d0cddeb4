import { describeError } from '../errors/errors.ts'
import type { Audience, Recourse } from './notice-words.ts'
import { NOTICE_WORDS, REFUSED } from './notice-words.ts'

export type { Audience } from './notice-words.ts'

/** A code for which there are words for people. */
export type NoticeCode = keyof typeof NOTICE_WORDS

/** Something that the guard itself says; the details fill the words of its code. */
export interface Notice {
  readonly code: NoticeCode
  readonly details?: Readonly<Record<string, string>>
}

/** A part of a reason: what the author of a rule, or a guardian elsewhere, wrote for people; or what the guard itself says. */
export type ReasonPart = string | Notice

/** What a verdict says why: the operator's text, and its parts where it has some that people read in other words. */
export interface Reasoned {
  readonly reason: string
  readonly said?: readonly ReasonPart[]
}

/** Whether there are words for people for a code. */
export const isNoticeCode = (code: string): code is NoticeCode => Object.hasOwn(NOTICE_WORDS, code)

/** A notice with the words of the operator, as it stands in the trace and the log. */
export const operatorText = (said: ReasonPart): string =>
  typeof said === 'string' ? said : describeError(said.code, said.details)

/** A reason for operators, and what it is made of where the guard itself has a part in it. */
export const composeReason = (parts: readonly ReasonPart[]): Reasoned => ({
  reason: parts
    .map(operatorText)
    .filter((text) => text !== '')
    .join(' '),
  ...(parts.every((part) => typeof part === 'string') ? {} : { said: parts }),
})

/** What a reason is made of. */
export const partsOf = ({ reason, said }: Reasoned): readonly ReasonPart[] => said ?? [reason]

const fill = (template: string, details: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (whole, name: string) => details[name] ?? whole)

const textOf = (audience: Audience, said: ReasonPart, late: boolean): string =>
  typeof said === 'string'
    ? said
    : fill(NOTICE_WORDS[said.code][audience], { ...said.details, refused: REFUSED[audience][late ? 'late' : 'inTime'] })

/** How a chat goes on after what happened and why. */
export const RECOURSE: { readonly [R in Exclude<Recourse, 'none'>]: (reference: string) => string } = {
  again: (reference) =>
    `Try again in a few minutes. If it goes on, tell the person who runs this assistant, and give them the reference ${reference}.`,
  tell: (reference) => `Tell the person who runs this assistant, and give them the reference ${reference}.`,
  wrong: (reference) =>
    `If this is wrong, tell the person who runs this assistant, and give them the reference ${reference}.`,
}

/** How it goes on after a refusal, for the reader. Where nothing of it was recorded, the code is the reference. */
const recourseOf = (audience: Audience, parts: readonly ReasonPart[], reference: string | undefined): string => {
  const notice = parts.find((part) => typeof part !== 'string')
  if (audience === 'terminal')
    return notice === undefined || reference === undefined || NOTICE_WORDS[notice.code].recourse === 'none'
      ? ''
      : `\`sallyport trace show ${reference}\` shows the details.`
  const recourse = notice === undefined ? 'wrong' : NOTICE_WORDS[notice.code].recourse
  const named = reference ?? notice?.code
  return recourse === 'none' || named === undefined ? '' : RECOURSE[recourse](named)
}

/** What is known of a refusal beside its reason. */
export interface Circumstances {
  /** Under which the operator finds the rest in the trace. */
  readonly reference?: string | undefined
  /** The step had happened before anything could be decided. */
  readonly late?: boolean
  /** Without how it goes on. */
  readonly bare?: boolean
}

/**
 * What a person reads of a refusal: what happened, why, and what they can do. The only place where it is decided who
 * reads what.
 */
export const wordsFor = (
  audience: Audience,
  parts: readonly ReasonPart[],
  { reference, late = false, bare = false }: Circumstances = {},
): string =>
  [...parts.map((part) => textOf(audience, part, late)), bare ? '' : recourseOf(audience, parts, reference)]
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .join(' ')
