import type { Field } from './field.ts'
import { isKnown } from './value.ts'

/** Words in a name of something made for a test or for one person's work, which can be recreated. */
const TEMPORARY =
  /^(?:test|tests|tested|testing|testdb|testdata|ci|e2e|spec|specs|tmp|temp|temporary|scratch|sandbox|fixture|fixtures|dev|devel|develop|development|local|localhost|demo|preview|ephemeral|playground|dummy|mock|memory)\d*$/

/** Words in a name of something that others depend on. */
const PRODUCTION = /^(?:prod|prd|production|live|backup|backups)\d*$/

/** A name made for one pull request, by its number. */
const OF_REQUEST = /(?:^|[-_/.])(?:pr|mr|pull|review-app)-?\d{1,7}(?:$|[-_/.:])/i

/** The words of a name: `shop-test_2` is `shop`, `test`, `2`; `appTest` is `app`, `test`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .slice(0, 256)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')

/** Whether a name is of something that others depend on. */
export const namesProduction = (name: string): boolean => wordsOf(name).some((word) => PRODUCTION.test(word))

/** Whether a name is of something that can be recreated: a test database, a private container. */
export const namesThrowAway = (name: string): boolean =>
  !namesProduction(name) && (wordsOf(name).some((word) => TEMPORARY.test(word)) || OF_REQUEST.test(name))

/** Whether each of these is known, and can be recreated by its name; false without any. */
export const areThrowAway = (fields: readonly Field[]): boolean =>
  fields.length > 0 && fields.every((field) => isKnown(field) && field.texts.every(namesThrowAway))
