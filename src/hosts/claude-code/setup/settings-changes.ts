import { isObject } from '../../../protocol/json.ts'
import { eventFault } from './broken-hooks.ts'
import { isOurs } from './wiring.ts'

type Members = Readonly<Record<string, unknown>>

/** Members that change only the appearance or the tone of the client, not its permissions. */
const HARMLESS: ReadonlySet<string> = new Set(
  `$schema alwaysThinkingEnabled attribution autoCompactEnabled autoMemoryEnabled autoUpdatesChannel availableModels
  awaySummaryEnabled cleanupPeriodDays companyAnnouncements editorMode effortLevel fastMode feedbackSurveyRate
  fileCheckpointingEnabled includeCoAuthoredBy includeGitInstructions keybindings language model
  outputStyle plansDirectory preferredNotifChannel prefersReducedMotion promptSuggestionEnabled respectGitignore
  showClearContextOnPlanAccept showThinkingSummaries showTurnDuration spinnerTipsEnabled spinnerTipsOverride spinnerVerbs
  terminalProgressBarEnabled theme tui verbose viewMode voiceEnabled`
    .trim()
    .split(/\s+/),
)

/** Variables that decide where hooks go, what programs run or what they load before their own code. */
const REACHING =
  /^(?:NODE_|LD_|DYLD_|XDG_|SALLYPORT_|CLAUDE|ANTHROPIC_|GIT_|SSH_|SSL_|PYTHON|PERL|RUBY|JAVA_|JDK_|npm_config_|BUN_|DENO_)|(?:^|_)(?:PROXY|PATH|HOME|SHELL|EDITOR|VISUAL|PAGER|BROWSER)$|^(?:BASH_ENV|ENV|ZDOTDIR|IFS|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS)$/i

/** Permission modes in which the client asks about unknown calls. */
const ASKING_MODES: ReadonlySet<unknown> = new Set([undefined, 'default', 'plan'])

const membersOf = (value: unknown): Members => (isObject(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : [])
const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing'
const same = (one: unknown, other: unknown): boolean => text(one) === text(other)
const keysOf = (...all: readonly Members[]): readonly string[] => [...new Set(all.flatMap((one) => Object.keys(one)))]
const added = (before: unknown, after: unknown): readonly unknown[] => {
  const known = new Set(listOf(before).map(text))
  return listOf(after).filter((one) => !known.has(text(one)))
}
const short = (value: unknown): string => {
  const printed = typeof value === 'string' ? value : text(value)
  return printed.length > 80 ? `${printed.slice(0, 79)}…` : printed
}

interface Handler {
  readonly handler: unknown
  /** Handler and matcher as one text. */
  readonly key: string
}

const handlersOf = (groups: unknown): readonly Handler[] =>
  listOf(groups).flatMap((group) =>
    listOf(membersOf(group)['hooks']).map((handler) => ({
      handler,
      key: text([membersOf(group)['matcher'] ?? null, handler]),
    })),
  )

/** The command or address of a handler, without its headers, which may contain a token. */
const nameOf = (handler: unknown): string => {
  const { type, url, command, args, prompt } = membersOf(handler)
  const parts = [type, url ?? command ?? prompt, ...listOf(args)].filter((part) => part !== undefined)
  return short(parts.map((part) => (typeof part === 'string' ? part : text(part))).join(' '))
}

const hookFindings = (before: Members, after: Members): readonly string[] =>
  keysOf(before, after).flatMap((event): readonly string[] => {
    if (same(before[event], after[event])) return []
    const [old, fresh] = [handlersOf(before[event]), handlersOf(after[event])]
    const ownHandlers = (all: readonly Handler[]): readonly string[] =>
      all.filter(({ handler }) => isOurs(handler)).map(({ key }) => key)
    const fault = eventFault(after[event])
    const known = new Set(old.map(({ key }) => key))
    const strangers = fresh.filter(({ handler, key }) => !isOurs(handler) && !known.has(key))
    return [
      ...(same(ownHandlers(old), ownHandlers(fresh)) ? [] : [`the guard's ${event} hook was changed or removed`]),
      ...(after[event] !== undefined && fault !== undefined
        ? [`${event}: ${fault}, so the client drops every ${event} hook of the file`]
        : []),
      ...strangers.map(({ handler }) => `a ${event} hook was added: ${nameOf(handler)}`),
    ]
  })

const envFindings = (before: Members, after: Members): readonly string[] =>
  keysOf(before, after)
    .filter((name) => REACHING.test(name) && !same(before[name], after[name]))
    .map((name) => `env.${name} was ${after[name] === undefined ? 'removed' : name in before ? 'changed' : 'added'}`)

const permissionFindings = (
  before: Members,
  after: Members,
  isSuggested: (rule: string) => boolean,
): readonly string[] =>
  keysOf(before, after).flatMap((name): readonly string[] => {
    const [old, fresh] = [before[name], after[name]]
    if (same(old, fresh)) return []
    switch (name) {
      case 'allow':
      case 'additionalDirectories':
        return added(old, fresh)
          .filter((rule) => !(typeof rule === 'string' && isSuggested(rule)))
          .map((rule) => `permissions.${name} now contains ${short(rule)}`)
      case 'deny':
      case 'ask':
        return added(fresh, old).map((rule) => `permissions.${name} no longer contains ${short(rule)}`)
      case 'defaultMode':
        return ASKING_MODES.has(fresh) ? [] : [`permissions.defaultMode is now ${short(fresh)}`]
      default:
        return [`permissions.${name} was changed`]
    }
  })

const switchFindings = (old: unknown, fresh: unknown): readonly string[] => {
  if (fresh === false) return []
  if (old === false) return ['disableAllHooks: false was removed, so other settings can disable hooks']
  return fresh === undefined ? [] : ['all hooks were disabled (disableAllHooks)']
}

const parse = (json: string | undefined): Members | undefined => {
  if (json === undefined || json.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * What of a change of a settings file concerns the guard or widens what an agent may do; one sentence each. Members that
 * are not known count.
 * @param isSuggested whether the client itself proposed to the person to allow this rule from now on
 */
export const settingsChanges = (
  accepted: string | undefined,
  now: string | undefined,
  isSuggested: (rule: string) => boolean = () => false,
): readonly string[] => {
  if (accepted === now) return []
  const [before, after] = [parse(accepted) ?? {}, parse(now)]
  if (after === undefined) return ['it is no longer a JSON object, and the client drops everything in it']
  return keysOf(before, after).flatMap((name): readonly string[] => {
    const [old, fresh] = [before[name], after[name]]
    if (same(old, fresh) || HARMLESS.has(name)) return []
    switch (name) {
      case 'hooks':
        return fresh !== undefined && !isObject(fresh)
          ? ['hooks is not an object, and the client drops every hook of the file']
          : hookFindings(membersOf(old), membersOf(fresh))
      case 'env':
        return envFindings(membersOf(old), membersOf(fresh))
      case 'permissions':
        return permissionFindings(membersOf(old), membersOf(fresh), isSuggested)
      case 'disableAllHooks':
        return switchFindings(old, fresh)
      default:
        return [`${name} was ${fresh === undefined ? 'removed' : old === undefined ? 'added' : 'changed'}`]
    }
  })
}
