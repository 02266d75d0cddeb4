import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { isObject } from '../src/protocol/json.ts'

/** A server in a process of its own, so that it shares no event loop with the load. */
export interface Child {
  readonly port: number
  readonly pid: number
  readonly url: string
  stop(): Promise<void>
}

/** Starts a program that prints one line of JSON with its `url` when it is ready. */
export const startChild = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<Child> => {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', process.argv.includes('--rows') ? 'inherit' : 'ignore'],
    env: { ...process.env, ...env },
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const ready: unknown = JSON.parse(line)
  const url = isObject(ready) && typeof ready['url'] === 'string' ? ready['url'] : ''
  return {
    url,
    pid: child.pid ?? 0,
    port: Number(new URL(url).port),
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
