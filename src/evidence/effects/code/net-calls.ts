import { isLoopback } from '../../../protocol/network-host.ts'
import { readFiles, sendData } from '../engine/files.ts'
import { NO_FLOW, type Value, isKnown, known, mergeFlow, unknown } from '../values/value.ts'
import type { Result } from './scope.ts'
import { type LibraryCall, type Reading, hostsOf, isNetworkText, toField } from './reading.ts'

const flowInto = ({ args }: LibraryCall): Value['flow'] =>
  args.reduce((all, arg) => mergeFlow(all, arg.value.flow), NO_FLOW)

/** Whether a URL, or a pair of host and port, names this machine or an unknown one, with an unknown port. */
const hasOpenPort = (result: Result | undefined, portFirst = false): boolean => {
  const pair = result?.items
  if (pair !== undefined) {
    const [host, port] = portFirst ? [pair[1], pair[0]] : pair
    return port !== undefined && !isKnown(port.value) && isOwnHost(host?.value.texts[0] ?? 'localhost')
  }
  const value = result?.value
  if (value === undefined || isKnown(value)) return false
  const [, host] = /^[a-z]+:\/\/(?:[^@/]*@)?([^/:]*|\[[^\]]*\]):?\d*$/i.exec(value.prefix) ?? []
  return value.prefix === '' ? false : host !== undefined && isOwnHost(host)
}

const isOwnHost = (host: string): boolean => host === '' || isLoopback(host)

/** A request to a host; a body, or any data of the machine in the request, is sent. */
export const request = (reading: Reading, call: LibraryCall): void => {
  const { frame, place, by, seen } = reading
  const { dotted, args, tokens } = call
  if (hasOpenPort(args.find(isNetworkText) ?? args[0])) seen.openPort = true
  const urls =
    dotted === 'file_get_contents' && !isNetworkText(args[0]) ? [] : hostsOf(args.find(isNetworkText) ?? args[0])
  if (urls.length === 0) {
    if (dotted === 'file_get_contents')
      seen.flow = mergeFlow(seen.flow, readFiles(frame, place, by, [toField(args[0])]).flow)
    return
  }
  const flow = flowInto(call)
  const words = tokens.flat().map((token) => token.text)
  const body = words.some((word) => /^(?:data|body|json|files|method|params|POST|PUT|PATCH)$/.test(word))
  if (body || flow.secrets.length > 0 || flow.local)
    sendData(frame, place, by, urls, unknown(mergeFlow(flow, body ? seen.flow : NO_FLOW)))
  else frame.engine.emit({ kind: 'net.fetch', by, targets: urls }, place)
}

/** Sends something to a host. */
export const send = ({ frame, place, by, seen }: Reading, call: LibraryCall): void => {
  if (hasOpenPort(call.args.find(isNetworkText) ?? call.args[0])) seen.openPort = true
  const hosts = hostsOf(call.args.find(isNetworkText) ?? call.args[0])
  sendData(frame, place, by, hosts, unknown(mergeFlow(seen.flow, flowInto(call))))
}

/** Opens a connection, over which everything read may go. */
export const connect = (reading: Reading, { args }: LibraryCall): void => {
  const { frame, place, by, seen, language } = reading
  seen.connects = true
  const portFirst = language === 'javascript' && /^\d+$/.test(args[0]?.value.texts[0] ?? '')
  const pair = { value: unknown(), items: portFirst ? args.toReversed() : args }
  const isAlone = args.length === 1 && /^\d+$/.test(args[0]?.value.texts[0] ?? '')
  const local = { value: unknown(), items: [{ value: known('127.0.0.1') }, ...args] }
  const at = args[0]?.items === undefined && args.length > 1 ? pair : isAlone ? local : args[0]
  if (hasOpenPort(at)) seen.openPort = true
  const hosts = hostsOf(at)
  sendData(frame, place, by, hosts, unknown(seen.flow))
}
