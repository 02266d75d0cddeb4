/** `npm run stand-in -- NAME [--port N]`: runs a stand-in for a service elsewhere, and prints what it is asked. */
import { startAicebergStandIn, startAirsStandIn, startJudgeStandIn } from '../src/testing/index.ts'
import type { StandIn } from '../src/testing/index.ts'
import { endWithUsage, scriptArguments } from './arguments.ts'

const API_KEY = 'key-of-the-stand-in'

const STAND_INS: Readonly<Record<string, (port: number) => Promise<StandIn>>> = {
  airs: (port) => startAirsStandIn({ port, apiKey: API_KEY }),
  judge: (port) => startJudgeStandIn({ port, apiKey: API_KEY }),
  aiceberg: (port) => startAicebergStandIn({ port, apiKey: API_KEY }),
}

const USAGE = `Usage: npm run stand-in -- NAME [--port N]; NAME is one of ${Object.keys(STAND_INS).join(', ')}`
const { values, positionals } = scriptArguments(USAGE, { port: { type: 'string', default: '0' } }, 1)
const start = STAND_INS[positionals[0] ?? ''] ?? endWithUsage(USAGE, 'NAME is missing or unknown.')
const standIn = await start(Number(values.port))
console.log(JSON.stringify({ url: standIn.url, apiKey: API_KEY }))
let told = 0
setInterval(() => {
  for (const { method, path, body } of standIn.received.slice(told))
    console.error(`${method} ${path} ${body.toString()}`)
  told = standIn.received.length
}, 200)
