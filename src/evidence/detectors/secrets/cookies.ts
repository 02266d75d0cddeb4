import type { Candidate, KeywordRule } from '../rule.ts'
import { isPlaceholder } from './placeholder.ts'
import { looksRandom } from './randomness.ts'

/** How far before its session the header of a request or reply may begin. */
const REACH = 2_048

/** A session counts in a header, a jar, or where something is called a cookie: elsewhere `session=` is a parameter. */
const isCookie = ({ text, at }: Candidate): boolean => /cookie/i.test(text.slice(Math.max(0, at - REACH), at))

/** Whoever has the cookie of a session is logged in. */
export const COOKIE_RULES: readonly KeywordRule[] = [
  {
    type: 'session-cookie',
    severity: 'medium',
    confidence: 0.8,
    anchors: ['session=', 'sessionid=', 'session_id=', 'session-token=', 'sessid=', 'connect.sid=', 'auth_token='],
    pattern: String.raw`(?:session(?:_?id|-token)?|sessid|connect\.sid|auth_token)=((?:s%3A|s:)?[A-Za-z0-9_.~%+/=-]{20,1024})`,
    ignoreCase: true,
    assess: (candidate) =>
      isCookie(candidate) && !isPlaceholder(candidate.value) && looksRandom(candidate.value, 3.2, true)
        ? 0.8
        : undefined,
  },
]
