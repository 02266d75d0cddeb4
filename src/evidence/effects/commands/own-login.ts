/** Which printed secret logs in to which registries: it is made for them, and they read it from a pipe. */
const ROWS: readonly (readonly [secret: RegExp, host: RegExp])[] = [
  [/^aws ecr get-login-password\b/, /^\d[\w-]*\.dkr\.ecr(?:-fips)?\.[\w-]+\.amazonaws\.com(?:\.cn)?$/],
  [/^aws ecr-public get-login-password\b/, /^public\.ecr\.aws$/],
  [/^gcloud auth print-(?:access|identity)-token\b/, /^(?:(?:us|eu|asia)\.)?gcr\.io$|^[a-z\d-]+-docker\.pkg\.dev$/],
  [/^gh token$/, /^(?:ghcr\.io|docker\.pkg\.github\.com)$/],
]

const LOGIN =
  /^(?:docker|podman|nerdctl|helm registry|buildah|skopeo|crane auth|oras) login (?=(?:.* )?--password-stdin\b)/

/**
 * Whether a secret is used only for the login to its own service.
 * @param feeds the command behind the pipe, written out
 */
export const isOwnLogin = (secret: string, feeds: string | undefined): boolean => {
  if (feeds === undefined || !LOGIN.test(feeds)) return false
  const hosts = feeds
    .split(' ')
    .filter((word) => word.includes('.'))
    .map((word) => word.replace(/^https:\/\//, '').replace(/\/.*$/, ''))
  return ROWS.some(([made, host]) => made.test(secret) && hosts.length === 1 && hosts.every((one) => host.test(one)))
}

/** Programs that pass on only the names of what they read, or their number. */
const NAMES_ONLY =
  /^(?:jq|gojq|jaq|yq)(?: --?[\w-]{1,20}){0,4} ['"]?[\w.[\]-]{0,80}(?: ?\| ?)?(?:keys|keys_unsorted|length)(?:\[\])?(?: ?\| ?(?:sort|length|\.\[\]))?['"]?$|^wc(?: -\w{1,4}){0,2}$|^cut -d ?['"]?[=:]['"]? -f ?1$/

/**
 * Whether only the names of secrets are shown.
 * @param feeds the command behind the pipe, written out
 */
export const showsNamesOnly = (feeds: string | undefined): boolean => feeds !== undefined && NAMES_ONLY.test(feeds)
