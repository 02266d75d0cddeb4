/**
 * Opens a guard on a data folder and asks it about calls in the sessions `shared` and `own`, then says so and does
 * nothing more: what is left of the guard has to let the process end.
 */
import process from 'node:process'
import { openGuard } from '../../src/assembly/open-guard.ts'
import { FULL_POWER } from '../../src/core/host-power.ts'
import { called } from '../support/called.ts'

const [home = '', own = ''] = process.argv.slice(2)
const fail = (problem: unknown): never => {
  throw new Error(JSON.stringify(problem), { cause: problem })
}
const guard = await openGuard({ data: `${home}/data`, env: {}, home, warn: fail, fault: fail })
for (let n = 0; n < 20; n++)
  for (const session of ['shared', own]) {
    const judged = await guard.judge(called(session, `echo ${n}`), FULL_POWER)
    if (judged.outcome === 'lost') fail(judged.notice)
  }
guard.judgeNow(called(own, 'echo last'), FULL_POWER)
process.stdout.write('done\n')
