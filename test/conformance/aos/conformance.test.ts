import { describe } from 'vitest'
import { openManifest } from '../manifest.ts'
import { openAsker } from './asker.ts'
import { proveBesides } from './prove-besides.ts'
import { proveDecisions } from './prove-decisions.ts'
import { proveClient, proveDialects } from './prove-dialects.ts'
import { proveEnvelope } from './prove-envelope.ts'
import { proveExchanges, proveRecord } from './prove-exchanges.ts'
import { proveGateway } from './prove-gateway.ts'
import { AOS_REQUIREMENTS } from './requirements.ts'
import { validateEmitted } from './validate-emitted.ts'

describe('AOS 0.1.0', () => {
  const asker = openAsker()
  const prover = openManifest(AOS_REQUIREMENTS)
  proveEnvelope(prover, asker)
  proveDecisions(prover, asker)
  proveBesides(prover, asker)
  proveExchanges(prover, asker)
  proveGateway(prover, asker)
  proveRecord(prover, asker)
  proveDialects(prover, asker)
  proveClient(prover)
  prover.close()
  // Last, for it looks at all that was sent before.
  validateEmitted(asker)
})
