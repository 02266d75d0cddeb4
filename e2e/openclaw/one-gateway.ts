import type { TestProject } from 'vitest/node'
import { entryPaths } from './entry-paths.ts'
import { startGateway, type GatewayAddress } from './gateway.ts'
import { testPlugins } from './gateway-config.ts'
import { connectRpc } from './gateway-rpc.ts'
import { withSallyport } from './plugin-under-test.ts'
import { startTalk } from './talk.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    gateway: GatewayAddress
  }
}

/**
 * One gateway for all test files: it takes half a minute to start and most of a gigabyte. Its first turn takes seconds
 * and is had here, with every plugin switched off.
 */
const setup = async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  // Tests of the host's hook runner by itself need none.
  if (process.env['SALLYPORT_E2E_ONLY']?.split(' ').every((name) => name.includes('runner')) === true) return undefined
  const gateway = await startGateway(withSallyport(testPlugins))
  const { address } = gateway
  const startedAt = performance.now()
  try {
    const rpc = await connectRpc(address.port, address.token)
    await startTalk(address, rpc, entryPaths.http, 'warmup').turn('Hello.', { say: 'Hello.' })
    rpc.close()
  } catch (error) {
    await gateway.stop()
    throw error
  }
  const warmMs = Math.round(performance.now() - startedAt)
  console.log(`gateway ready after ${address.readyMs} ms, its first turn after ${warmMs} ms more`)
  project.provide('gateway', address)
  return () => gateway.stop()
}

export default setup
