/**
 * `npm run e2e -- openclaw-overhead`: what the plugin costs a turn. Two warm gateways, one with all twelve protections
 * on and one without the plugin, take turns in turn; the medians and their ratio are printed as one line of JSON.
 */
import { entryPaths, type EntryPath } from './entry-paths.ts'
import { startGateway, type GatewayAddress } from './gateway.ts'
import { testPlugins, type PluginSetup } from './gateway-config.ts'
import { connectRpc, type GatewayRpc } from './gateway-rpc.ts'
import { pluginFolder, sallyportEntry } from './plugin-under-test.ts'
import { startTalk } from './talk.ts'

const TURNS = 30
const WARM_TURNS = 4

interface Side {
  readonly gateway: GatewayAddress
  readonly rpc: GatewayRpc
  readonly times: number[]
}

const withPlugin: PluginSetup = {
  folders: [...testPlugins.folders, pluginFolder],
  entries: { ...testPlugins.entries, sallyport: sallyportEntry() },
}

const openSide = async (gateway: GatewayAddress): Promise<Side> => ({
  gateway,
  rpc: await connectRpc(gateway.port, gateway.token),
  times: [],
})

/** One turn with a tool call in it, in a session of its own: what is measured does not grow with the history. */
const takeTurn = async ({ gateway, rpc, times }: Side, path: EntryPath, id: string, counts: boolean): Promise<void> => {
  const call = { tool: 'exec', input: { command: 'echo hello' } }
  const talk = startTalk(gateway, rpc, path, id)
  const from = performance.now()
  await talk.turn('Say hello by a command.', { calls: [call] }, { say: 'Hello, it has been said.' })
  if (counts) times.push(performance.now() - from)
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const measure = async (sides: readonly [Side, Side], path: EntryPath) => {
  for (const side of sides) side.times.length = 0
  for (let turn = 0; turn < WARM_TURNS + TURNS; turn++) {
    // The order alternates, so that neither always runs after the other.
    const order = turn % 2 === 0 ? sides : sides.toReversed()
    for (const side of order) await takeTurn(side, path, `${path.name}${turn}`, turn >= WARM_TURNS)
  }
  const [guarded, plain] = sides.map(({ times }) => Math.round(median(times)))
  if (guarded === undefined || plain === undefined) throw new Error('Nothing was measured.')
  return {
    [`${path.name}_guarded_p50_ms`]: guarded,
    [`${path.name}_plain_p50_ms`]: plain,
    [`${path.name}_ratio`]: guarded / plain,
  }
}

const plain = await startGateway(testPlugins)
const guarded = await startGateway(withPlugin)
try {
  const sides = [await openSide(guarded.address), await openSide(plain.address)] as const
  const figures = {
    ...(await measure([sides[0], sides[1]], entryPaths.channel)),
    ...(await measure([sides[0], sides[1]], entryPaths.http)),
    guarded_ready_ms: guarded.address.readyMs,
    plain_ready_ms: plain.address.readyMs,
  }
  console.log(JSON.stringify({ name: 'openclaw-overhead', turns: TURNS, figures }))
  for (const { rpc } of sides) rpc.close()
} finally {
  await guarded.stop()
  await plain.stop()
}
