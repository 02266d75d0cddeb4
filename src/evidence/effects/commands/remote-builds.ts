import { isLoopback } from '../../../protocol/network-host.ts'
import type { Target } from '../../../protocol/evidence.ts'
import { hostOf } from '../places/hosts.ts'
import { visible } from '../values/field.ts'
import type { Call } from '../engine/call.ts'

/** Build tools that send their sources, or what they build, to a machine that an option names. */
const TOOLS =
  /^(?:bazel|bazelisk|buck2?|pants|please|turbo|nx|gradle|gradlew|mvn|ccache|sccache|earthly|skaffold|sonar-scanner|sentry-cli|snyk|codecov|buildkite-agent|buildctl|lerna|rush)$/

/** Their options for that machine. */
const TO =
  /^-{0,2}(?:remote[_-](?:executor|cache|storage|instance)|bes[_-](?:backend|results_url)|api|url|host|addr|server|D?sonar\.host\.url|remote_storage|remote-cache)$/

const isElsewhere = (target: Target): boolean => target.type === 'host' && !isLoopback(target.host)

/** Whether a program is one of these. */
export const buildsElsewhere = (name: string): boolean => TOOLS.test(name)

/** Emits that the sources are sent to such a machine. */
export const emitRemoteBuild = (call: Call): void => {
  const hosts = call.args.flatMap((field, at) => {
    const [, name = '', joined] = /^([\w.-]+)(?:=(.*))?$/s.exec(visible(field)) ?? []
    if (!TO.test(name)) return []
    const value = joined ?? (call.args[at + 1] === undefined ? '' : visible(call.args[at + 1] ?? field))
    return /^[a-z]+:\/\/|^(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:\/|$)/i.test(value) ? (hostOf(value) ?? []) : []
  })
  const others = hosts.filter(isElsewhere)
  if (others.length > 0) call.emit('net.send', others, { traits: ['all'] })
}
