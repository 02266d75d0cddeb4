/** Programs that let nothing through but the names of what they read, or how many there are. */
const NAMES_ONLY =
  /^(?:jq|gojq|jaq|yq)(?: --?[\w-]{1,20}){0,4} ['"]?[\w.[\]-]{0,80}(?: ?\| ?)?(?:keys|keys_unsorted|length)(?:\[\])?(?: ?\| ?(?:sort|length|\.\[\]))?['"]?$|^wc(?: -\w{1,4}){0,2}$|^cut -d ?['"]?[=:]['"]? -f ?1$/

/**
 * Whether the names of secrets are all that is shown.
 * @param feeds the command behind the pipe, written out
 */
export const showsNamesOnly = (feeds: string | undefined): boolean => feeds !== undefined && NAMES_ONLY.test(feeds)
