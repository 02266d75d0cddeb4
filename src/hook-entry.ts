/**
 * What a host's command hook runs: `node hook-entry.js claude-code --event NAME --data DIR`. It starts anew for every
 * event, so it imports no package. It always prints an answer and ends with 0; where not even that is possible it ends
 * with 2, which every client takes for a refusal.
 */
import process from 'node:process'
import { dataFiles, dataFolder } from './config/data-folder.ts'
import { answerHook } from './hosts/claude-code/hook-command.ts'

try {
  const reply = await answerHook(process.argv.slice(2), {
    env: process.env,
    folder: (option, home) => dataFolder(option, process.env, home),
    files: dataFiles,
    stdin: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array))
      return Buffer.concat(chunks)
    },
  })
  process.stdout.write(`${JSON.stringify(reply)}\n`, (error) => {
    // An open connection or a child must not keep the host waiting.
    process.exit(error ? 2 : 0)
  })
} catch {
  process.exit(2)
}
