import { isLoopback } from '../../../protocol/network-host.ts'
import type { Target } from '../../../protocol/evidence.ts'
import { sendData } from '../engine/files.ts'
import { hostOf } from '../places/hosts.ts'
import { NO_FLOW, type Value, mergeFlow, unknown } from '../values/value.ts'
import { type Running, flowOf, pathsOf, read, write } from './cmdlet-run.ts'
import { psText, psValue } from './ps-value.ts'
import type { PsWord } from './statements.ts'

const NOWHERE: Target = { type: 'host', host: 'unresolved' }

/** What words give, and the content of files that they list. */
const contentOf = (running: Running, words: readonly PsWord[], areFiles: boolean): Value['flow'] => {
  const values = words.map((word) => psValue(word, running.context))
  const lists = words.filter((_, at) => areFiles || values[at]?.flow.processes.some((mark) => mark.startsWith('path:')))
  return mergeFlow(flowOf(values), read(running, pathsOf(running, lists, 'content')).flow)
}

/** A request, or a transfer. */
export const web = (running: Running): Value => {
  const { context, name, args, input } = running
  const uploads = args.get('transfertype').some((word) => /^upload/i.test(word.text))
  const urls = [
    ...(uploads ? args.get('destination') : args.get('uri', 'source')),
    ...args.operands.slice(uploads ? 1 : 0),
  ].map((word) => psText(word, context))
  const hosts = urls.slice(0, 1).map((url) => hostOf(url) ?? NOWHERE)
  const files = [...args.get('infile'), ...(uploads ? [...args.get('source'), ...args.operands.slice(0, 1)] : [])]
  const bodies = [...args.get('body', 'form'), ...args.get('headers')]
  const method = args.get('method', 'custommethod').map((word) => psText(word, context).toUpperCase())[0]
  const sends = files.length + bodies.length > 0 || (method !== undefined && !/^(?:GET|HEAD)$/.test(method))
  const address = flowOf([...args.get('uri'), ...args.operands].map((word) => psValue(word, context)))
  const flow = [
    contentOf(running, files, true),
    contentOf(running, bodies, false),
    ...(sends && input ? [input.flow] : []),
  ].reduce(mergeFlow, address)
  if (sends || address.local || address.secrets.length > 0)
    sendData(context.frame, context.place, name, hosts, unknown(flow))
  else context.engine.emit({ kind: 'net.fetch', by: name, targets: hosts }, context.place)
  const isOwn = hosts.every((host) => host.type === 'host' && isLoopback(host.host))
  if (method === 'DELETE' && !isOwn)
    context.engine.emit(
      { kind: 'cloud.destroy', by: name, targets: [{ type: 'resource', name: urls[0] ?? '' }] },
      context.place,
    )
  const fetched = unknown({ ...NO_FLOW, network: true })
  const into = [
    ...args.get('outfile'),
    ...(uploads ? [] : args.get('destination')),
    ...(name === 'start-bitstransfer' && !uploads ? args.operands.slice(args.get('source').length > 0 ? 0 : 1) : []),
  ]
  if (into.length > 0) write(running, pathsOf(running, into, 'content'), fetched)
  return fetched
}
