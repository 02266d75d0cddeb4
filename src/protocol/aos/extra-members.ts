import type { Fields } from '../fields.ts'
import type { Json, JsonObject } from '../json.ts'
import { escapeToken } from '../json-pointer.ts'
import type { Place } from '../places.ts'
import type { Attachments } from '../step.ts'
import { valuePlace } from './request.ts'

/** Unknown members with their places: members of `payload` are under `params` in the request. */
export const moreOf = (
  from: Fields,
  known: readonly string[],
  payload: string,
  params: string,
): { readonly more: JsonObject; readonly morePlaces: readonly Place[] } => {
  const more = Object.entries(from.rest(new Set(known))).filter(([, value]) => value !== null)
  return {
    more: Object.fromEntries(more),
    morePlaces: more.map(([name]) => valuePlace(`${payload}/${escapeToken(name)}`, `${params}/${escapeToken(name)}`)),
  }
}

/**
 * The unknown members as attachments with their places; nothing without a list of known ones.
 * @param at pointer of the object in the params
 * @param before attachments that come before these
 */
export const attachedFrom = (
  from: Fields,
  known: readonly string[] | undefined,
  at: string,
  before = 0,
): { readonly attachments: Attachments; readonly places: readonly Place[] } => {
  const more = Object.entries(known === undefined ? {} : moreOf(from, known, '', '').more)
  return {
    attachments: more.map(([, value]) => value),
    places: more.map(([name], index) => valuePlace(`/attachments/${before + index}`, `${at}/${escapeToken(name)}`)),
  }
}

/** A list of a step, or the list with the other members: one content, whichever of them a receiver reads. */
export const withMore = (
  from: Fields,
  list: string,
  known: readonly string[],
  payload: string,
  params: string,
): { readonly value: Json; readonly places: readonly Place[] } => {
  const { more, morePlaces } = moreOf(from, [list, ...known], payload, params)
  const listed = from.array(list)
  return morePlaces.length === 0
    ? { value: listed, places: [valuePlace(payload, `${params}/${list}`)] }
    : {
        value: { [list]: listed, ...more },
        places: [valuePlace(`${payload}/${list}`, `${params}/${list}`), ...morePlaces],
      }
}
