/** Takes texts from outside into sessions until it is killed; prints the id of each session once it is kept. */
import process from 'node:process'
import { dataFiles } from '../../src/config/data-folder.ts'
import { openLabels } from '../../src/assembly/record/open-labels.ts'
import { observedText } from '../support/observed-text.ts'

const files = dataFiles(process.argv[2] ?? '')
const { labels } = openLabels({ files, durability: 'process', lost: () => undefined })

const remember = async (connection: number): Promise<void> => {
  for (let number = 0; ; number++) {
    const session = `s-${connection}-${number}`
    labels.observe(observedText(session, 'knowledgeRetrieval', { source: 'web', content: `see ${session}.example` }))
    await labels.settled()
    process.stdout.write(`${session}\n`)
  }
}
await Promise.all(Array.from({ length: 4 }, async (_, connection) => remember(connection)))
