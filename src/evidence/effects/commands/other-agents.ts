import { type Field, textOf, visible } from '../values/field.ts'
import type { Call } from '../engine/call.ts'

/** Packages and programs that are an agent host, by the name of its row. */
const HOSTS: readonly (readonly [name: RegExp, host: string])[] = [
  [/^(?:@anthropic-ai\/claude-code|claude-code|claude-cli|claude)$/, 'claude'],
  [/^(?:@openai\/codex|codex-cli|codex)$/, 'codex'],
  [/^(?:@google\/gemini-cli|gemini-cli|gemini)$/, 'gemini'],
  [/^(?:@qwen-code\/qwen-code|qwen-code|qwen)$/, 'qwen'],
  [/^(?:opencode-ai|opencode)$/, 'opencode'],
  [/^(?:@sourcegraph\/amp|amp)$/, 'amp'],
  [/^(?:@github\/copilot|copilot-cli)$/, 'copilot-cli'],
  [/^(?:aider-chat|aider-install|aider)$/, 'aider'],
  [/^(?:@charmland\/crush|crush)$/, 'crush'],
]

/** The host that a package or a program file is: `@anthropic-ai/claude-code@2`, `…/claude-code/cli.js`. */
export const hostNamed = (text: string): string | undefined => {
  const plain = text.replace(/(?<=.)@[^/@]*$/, '')
  const found = HOSTS.find(([name]) => name.test(plain))?.[1]
  if (found !== undefined) return found
  const folder = /\/((?:@[\w-]+\/)?[\w-]+)\/(?:(?:dist|bin|lib|build|bundle)\/)*[\w-]+\.[cm]?js$/.exec(text)?.[1]
  return folder === undefined
    ? undefined
    : HOSTS.find(([name]) => name.test(folder) || name.test(folder.replace(/^[^@].*\//, '')))?.[1]
}

/** Options with which an agent acts without asking. */
const ASKS_NOBODY =
  /^(?:--(?:yes-always|yes|dangerously[\w-]*|yolo|full-auto|skip-permissions[\w-]*|allow-all[\w-]*|trust-all[\w-]*|auto-approve[\w-]*|auto-accept[\w-]*|auto|force|no-confirm|non-interactive|headless|unsafe[\w-]*|no-sandbox|bypass[\w-]*|skip-approval[\w-]*)(?:=(?:true|1|all|yes))?|-y|-Y)$/
const MODE = /^--?(?:approval-mode|ask-for-approval|permission-mode|sandbox|sandbox-mode|mode|autonomy|a|s)$/
const NO_QUESTIONS =
  /^(?:yolo|auto|auto[-_]?edit|full[-_]?auto|never|bypass\w*|danger-full-access|none|full|high|accept\w*|dont-?ask)$/i

/** Whether an agent is started so that it acts without a question. */
export const asksNobody = (args: readonly Field[]): boolean =>
  args.some((field, at) => {
    const text = visible(field)
    const pair = /^(--?[\w-]+)=(.*)$/.exec(text)
    if (pair !== null && MODE.test(pair[1] ?? '') && NO_QUESTIONS.test(pair[2] ?? '')) return true
    if (/^(?:approval_policy|sandbox_mode)=["']?(?:never|danger-full-access)/.test(text)) return true
    return ASKS_NOBODY.test(text) || (NO_QUESTIONS.test(text) && MODE.test(textOf(args[at - 1]) ?? ''))
  })

/** Words that only show information on an agent's program or its settings. */
const LOOKS =
  /^(?:--version|-v|-V|--help|-h|version|help|doctor|mcp (?:list|get)|config (?:list|get)|plugin (?:list|validate)|plugin marketplace list|models?|auth (?:status|list)|update --check|completion)(?: |$)/

/** Whether the program is only asked for information about itself. */
export const onlyShows = (call: Call): boolean => LOOKS.test(call.args.map(visible).join(' '))
