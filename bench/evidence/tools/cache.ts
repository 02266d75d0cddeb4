import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { z } from 'zod'
import type { ServerPin } from './servers.ts'

const DEFINITIONS = z.object({
  server: z.string(),
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.optional(z.string()),
      inputSchema: z.optional(z.record(z.string(), z.json())),
      annotations: z.optional(z.record(z.string(), z.json())),
    }),
  ),
})

/** The definitions of one server's tools. */
export type Definitions = z.infer<typeof DEFINITIONS>

/** Where servers and their definitions are kept between runs: never inside the tree. */
export const toolsCache = (env: NodeJS.ProcessEnv): string =>
  env['SALLYPORT_TOOLS_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sallyport-tools')

/** `name@version` as one file name. */
export const fileNameOf = ({ name, version }: ServerPin): string => `${name.replaceAll('/', '+')}@${version}`

/** Where a server's definitions are kept. */
export const definitionsPath = (pin: ServerPin, cache: string): string =>
  join(cache, 'definitions', `${fileNameOf(pin)}.json`)

/** Checks what a server answered; throws a ZodError on anything that is not a list of tools. */
export const asDefinitions = (value: unknown): Definitions => DEFINITIONS.parse(value)

/** The definitions that were collected of a server; undefined when there are none. */
export const readDefinitions = (pin: ServerPin): Definitions | undefined => {
  const path = definitionsPath(pin, toolsCache(process.env))
  return existsSync(path) ? asDefinitions(JSON.parse(readFileSync(path, 'utf8'))) : undefined
}
