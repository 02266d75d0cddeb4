import type { Target } from '../../../protocol/evidence.ts'
import { remoteOf } from '../hosts.ts'
import { type Field, literal, textOf, visible } from '../shell/field.ts'
import { type Options, parseOptions } from '../shell/options.ts'
import { EMPTY, type Value, unknown } from '../value.ts'
import type { Call, CommandRow } from './command.ts'

const line = (call: Call): string => call.options.operands.map(visible).join(' ')

const resource = (call: Call, from: number): readonly Target[] => [
  { type: 'resource', name: [call.name, ...call.options.operands.slice(0, from + 2).map(visible)].join(' ') },
]

const DESTROY_VERB =
  /(?:^|[\s-])(?:delete|destroy|terminate|purge|remove|rm|rb|deregister|drop|wipe|forget|unregister|unsubscribe|rdelete|del|clear_permissions|delete_user|delete_vhost|purge_queue|remove-secret|rollback-to|uninstall|prune|revoke|disable|detach|force-delete|schedule-key-deletion|empty)(?=[\s-]|$)/
const CHANGE_VERB =
  /(?:^|[\s-])(?:create|apply|update|put|set|add|modify|deploy|start|stop|restart|reboot|scale|patch|replace|import|attach|enable|run|invoke|publish|send|tag|label|annotate|edit|rollout|upgrade|install|rollback|drain|cordon|taint|exec|associate|register|resize|reset|expose|promote|failover|up|sync|cp|mv|push)(?=[\s-]|$)/

const isDry = (call: Call): boolean => call.options.has('--dry-run', '--dryrun', '--help', '-h', '--what-if', '--check')

/** A cloud tool: verbs among its operands tell what it does. */
const provider = (call: Call): Value | void => {
  const text = call.args
    .map(visible)
    .join(' ')
    .replace(/(^|\s)--(?=delete\b|remove\b)/g, '$1')
  if (/\bcompletion\b/.test(text)) return unknown({ ...EMPTY.flow, settings: true })
  if (isDry(call)) return
  if (DESTROY_VERB.test(text)) call.emit('cloud.destroy', resource(call, 1))
  else if (CHANGE_VERB.test(text)) call.emit('cloud.change', resource(call, 1))
}

const SECRETS =
  /\b(?:get-secret-value|get-parameters?(?:-by-path)?|print-access-token|print-identity-token|get-session-token|get-authorization-token|get-login-password|get-access-token|keyvault secret show|secrets versions access|export-credentials|list-keys|keys list|get-credentials|configure get)\b/

const aws = (call: Call): Value | void => {
  const text = line(call)
  const files = call.options.operands.slice(2)
  if (SECRETS.test(text)) {
    const secret: Target = { type: 'resource', name: `${call.name} ${text.split(' ').slice(0, 3).join(' ')}` }
    call.emit('secret.read', [secret])
    return unknown({ ...EMPTY.flow, secrets: [secret] })
  }
  if (/^(?:s3|storage) (?:cp|mv|sync|rsync)\b/.test(text) && files.length >= 2) {
    const isRemote = (field: Field): boolean => /^(?:s3|gs|az):\/\//.test(visible(field))
    const local = files.slice(0, -1).filter((field) => !isRemote(field))
    const content = call.read(local)
    const to = files.at(-1)
    if (to && isRemote(to)) {
      call.send([{ type: 'resource', name: visible(to) }], content)
      if (call.options.has('--delete', '--delete-unmatched-destination-objects'))
        call.emit('cloud.destroy', resource(call, 1))
    } else if (to) call.write([to], unknown({ ...EMPTY.flow, network: true }))
    return undefined
  }
  if (/^s3 (?:rm|rb)\b/.test(text)) {
    if (!isDry(call))
      call.emit('cloud.destroy', resource(call, 1), {
        traits: call.options.has('--recursive', '--force') ? ['recursive'] : [],
      })
    return undefined
  }
  return provider(call)
}

const KUBE_VALUES = [
  '-n',
  '--namespace',
  '--context',
  '--kubeconfig',
  '-f',
  '--filename',
  '-l',
  '--selector',
  '-o',
  '--output',
  '-c',
  '--container',
  '--cluster',
  '--user',
  '-p',
  '--patch',
  '--token',
  '-k',
  '--kustomize',
  '--as',
]

const kubectl = (call: Call): Value | void => {
  const [verb, ...rest] = call.options.operands
  const name = visible(verb ?? literal(''))
  if (name === 'completion') return unknown({ ...EMPTY.flow, settings: true })
  if (name === 'exec' || name === 'debug') {
    const at = call.args.findIndex((field) => textOf(field) === '--')
    const command = at >= 0 ? call.args.slice(at + 1) : rest.slice(1)
    call.emit('cloud.change', resource(call, 1))
    return command.length > 0 ? call.run(command, { possible: true, cwds: ['/'] }) : undefined
  }
  if (name === 'get' && /\bsecrets?\b/.test(line(call)) && call.options.has('-o', '--output')) {
    const secret: Target = { type: 'resource', name: 'kubernetes secret' }
    call.emit('secret.read', [secret])
    return unknown({ ...EMPTY.flow, secrets: [secret] })
  }
  call.read(
    call.options
      .get('-f', '--filename')
      .filter((field) => textOf(field) !== '-' && remoteOf(visible(field)) === undefined),
  )
  if (name === 'cp') {
    const remote = rest.filter((field) => visible(field).includes(':'))
    const content = call.read(rest.slice(0, 1).filter((field) => !remote.includes(field)))
    if (rest[1] && remote.includes(rest[1])) call.send(resource(call, 1), content)
    else call.write(rest.slice(1, 2), undefined)
    return undefined
  }
  if (isDry(call)) return undefined
  if (
    /^(?:delete|drain)$/.test(name) ||
    (name === 'replace' && call.options.has('--force')) ||
    (name === 'scale' && /--replicas=0/.test(call.args.map(visible).join(' ')))
  )
    call.emit('cloud.destroy', resource(call, 1), {
      traits: call.options.has('--all', '-A', '--all-namespaces') ? ['all'] : [],
    })
  else if (
    /^(?:apply|create|edit|patch|replace|scale|set|label|annotate|taint|cordon|uncordon|rollout|expose|run|autoscale|certificate|auth)$/.test(
      name,
    ) &&
    !/rollout (?:status|history)|auth can-i/.test(line(call))
  )
    call.emit('cloud.change', resource(call, 1))
  return undefined
}

const DOCKER_VALUES = [
  '-v',
  '--volume',
  '-e',
  '--env',
  '--env-file',
  '-p',
  '--publish',
  '--name',
  '-w',
  '--workdir',
  '--entrypoint',
  '-u',
  '--user',
  '--network',
  '--mount',
  '-f',
  '--file',
  '-t',
  '--tag',
  '--platform',
  '-l',
  '--label',
  '--filter',
  '-H',
  '--host',
  '--context',
  '-c',
  '--cpus',
  '-m',
  '--memory',
  '--restart',
  '--add-host',
  '--hostname',
  '-h',
  '--gpus',
  '--device',
  '--cap-add',
  '--security-opt',
  '--pid',
  '--ipc',
  '--shm-size',
  '--build-arg',
  '--target',
  '--progress',
  '--profile',
  '--project-directory',
  '--ulimit',
  '--tmpfs',
  '--log-driver',
  '--format',
]

/** Folders of this machine that a container sees under another name are followed like links. */
const mounts = (call: Call, options: Options): void => {
  const pairs = options.get('-v', '--volume').map((field) => visible(field).split(':'))
  const long = options.get('--mount').map((field) => {
    const text = visible(field)
    return [/(?:source|src)=([^,]+)/.exec(text)?.[1] ?? '', /(?:target|destination|dst)=([^,]+)/.exec(text)?.[1] ?? '']
  })
  for (const [from, to] of [...pairs, ...long]) {
    if (!from || !to || !/^[/.~]/.test(from)) continue
    const [source] = call.paths([literal(from)], 'content')
    if (source) call.engine.scratch.links.set(to, source.path)
    if (source && /docker\.sock$|^\/$/.test(source.path)) call.emit('privilege.raise', [source])
  }
}

const contained = (call: Call, options: Options): Value | void => {
  const command = options.operands.slice(1)
  const entry = options.get('--entrypoint')[0]
  if (
    options.has('--privileged') ||
    options.get('--pid', '--cap-add').some((field) => /^(?:host|ALL|SYS_ADMIN)$/.test(visible(field)))
  )
    call.emit('privilege.raise')
  const argv = entry ? [entry, ...command] : command
  return argv.length > 0
    ? call.run(argv, { possible: true, cwds: [options.get('-w', '--workdir').map(visible)[0] ?? '/container'] })
    : undefined
}

const docker = (call: Call): Value | void => {
  const [first, ...others] = call.options.operands
  const group =
    /^(?:container|image|volume|network|system|builder|compose|buildx|context|plugin|service|stack|swarm|node)$/.test(
      visible(first ?? literal('')),
    )
  const verb = visible((group ? others[0] : first) ?? literal(''))
  const rest = group ? others.slice(1) : others
  const area = group ? visible(first ?? literal('')) : ''
  const text = `${area} ${verb}`.trim()
  if (/completion/.test(text)) return unknown({ ...EMPTY.flow, settings: true })
  const before = new Map(call.engine.scratch.links)
  if (verb === 'run' || verb === 'create' || verb === 'exec') {
    const own = parseOptions(call.args.slice(call.args.findIndex((field) => textOf(field) === verb) + 1), {
      values: DOCKER_VALUES,
      stopAtOperand: true,
    })
    const inner = area === 'compose' || /compose/.test(call.name) ? { ...own, get: () => [] } : own
    mounts(call, inner)
    const result = contained(call, inner)
    call.engine.scratch.links.clear()
    for (const [name, target] of before) call.engine.scratch.links.set(name, target)
    return result
  }
  if (verb === 'push' || (verb === 'build' && call.options.has('--push')))
    return call.send([{ type: 'resource', name: visible(rest[0] ?? literal('image')) }], EMPTY)
  if (verb === 'login') return call.emit('net.send', [{ type: 'resource', name: 'registry' }])
  const all = call.options.has('-a', '--all') ? (['all'] as const) : []
  if (
    /^(?:system|volume|image|container|network|builder|buildx) prune$/.test(text) ||
    /^(?:volume|stack|service|swarm|node) (?:rm|remove|leave)$/.test(text) ||
    (verb === 'down' && call.options.has('-v', '--volumes', '--rmi'))
  )
    return call.emit('cloud.destroy', resource(call, 1), { traits: all })
  if (/^(?:rm|rmi|kill|remove)$/.test(verb))
    return call.emit(
      call.options.has('-v', '--volumes') || (verb === 'rm' && call.options.has('-f', '--force')) || verb === 'rmi'
        ? 'cloud.destroy'
        : 'cloud.change',
      resource(call, 1),
    )
  if (/^(?:stop|start|restart|up|down|update|scale|deploy|init|join|commit|import|load|rename|pause)$/.test(verb))
    return call.emit('service.change', resource(call, 1))
  if (verb === 'pull' || verb === 'build')
    return call.emit(
      'package.install',
      rest.slice(0, 1).map((field) => ({ type: 'resource', name: visible(field) })),
      { possible: true },
    )
  if (verb === 'cp') {
    const content = call.read(rest.slice(0, 1).filter((field) => !visible(field).includes(':')))
    if (rest[1] && !visible(rest[1]).includes(':')) call.write([rest[1]], content)
  }
  return undefined
}

const terraform = (call: Call): void => {
  const text = line(call)
  if (
    /^(?:destroy|state (?:rm|push)|workspace delete|force-unlock|taint)\b/.test(text) ||
    (/^(?:apply|plan|up|down)\b/.test(text) && call.options.has('-destroy', '--destroy')) ||
    /^(?:run-all|run --all) destroy/.test(text) ||
    (call.name === 'pulumi' && /^(?:destroy|stack rm|state delete|down)\b/.test(text))
  ) {
    if (!text.startsWith('plan')) call.emit('cloud.destroy', resource(call, 0))
  } else if (/^(?:apply|import|up|run-all apply|refresh|state mv|deploy|bootstrap)\b/.test(text))
    call.emit('cloud.change', resource(call, 0))
}

const helm = (call: Call): Value | void => {
  const text = line(call)
  if (text.startsWith('completion')) return unknown({ ...EMPTY.flow, settings: true })
  if (isDry(call)) return
  if (/^(?:uninstall|delete|del|un|destroy)\b/.test(text)) call.emit('cloud.destroy', resource(call, 1))
  else if (/^(?:install|upgrade|rollback|repo add|plugin install|sync|apply)\b/.test(text))
    call.emit('cloud.change', resource(call, 1))
}

/** Clouds, clusters and containers. */
export const CLOUD_COMMANDS: readonly CommandRow[] = [
  {
    names: ['aws', 'gcloud', 'gsutil', 'az'],
    values: [
      '--profile',
      '--region',
      '--output',
      '--query',
      '--project',
      '--zone',
      '--endpoint-url',
      '-g',
      '--resource-group',
      '-n',
      '--name',
      '--bucket',
      '--instance-ids',
      '--secret-id',
      '--filter',
      '--format',
      '--cli-input-json',
      '--stack-name',
      '--table-name',
      '--function-name',
    ],
    run: aws,
    examples: [
      ['aws s3 rm s3://b --recursive', 'cloud.destroy+recursive'],
      ['aws ec2 terminate-instances --instance-ids i-1', 'cloud.destroy'],
      ['aws ec2 describe-instances'],
      ['aws s3 ls'],
      [
        'aws s3 cp ~/.ssh/id_rsa s3://b/',
        'fs.read@credential',
        'secret.read@credential',
        'net.send',
        'secret.send@credential',
      ],
      ['gcloud projects delete p', 'cloud.destroy'],
      ['az group delete -n g', 'cloud.destroy'],
      ['aws secretsmanager get-secret-value --secret-id x', 'secret.read'],
    ],
  },
  {
    names: [
      'restic',
      'borg',
      'kafka-topics',
      'kafka-topics.sh',
      'kafka-consumer-groups',
      'kafka-acls',
      'rabbitmqctl',
      'rabbitmqadmin',
      'nats',
      'circleci',
      'gitlab-runner',
      'doctl',
      'flyctl',
      'fly',
      'heroku',
      'vercel',
      'netlify',
      'wrangler',
      'railway',
      'linode-cli',
      'hcloud',
      'oci',
      'ibmcloud',
      'scw',
      'vultr-cli',
      'eksctl',
      'kops',
      'cdk',
      'sam',
      'serverless',
      'sls',
      'firebase',
      'vault',
      'consul',
      'nomad',
      'amplify',
      'eb',
      'copilot',
      'render',
      'cf',
      'oc-admin',
      'argocd',
      'flux',
      'velero',
      'stripe',
    ],
    values: ['--app', '-a', '--name', '-n', '--config', '-c', '--org'],
    run: provider,
    examples: [['fly apps destroy x', 'cloud.destroy'], ['vercel deploy', 'cloud.change'], ['heroku logs']],
  },
  {
    names: ['kubectl', 'oc', 'k3s', 'kubecolor', 'k'],
    values: KUBE_VALUES,
    run: kubectl,
    examples: [
      ['kubectl delete ns prod', 'cloud.destroy'],
      ['kubectl get pods'],
      ['kubectl apply -f a.yaml', 'fs.read@workspace', 'cloud.change'],
      ['kubectl exec p -- rm -rf /data', 'cloud.change', 'fs.delete?+recursive+force@other'],
      ['source <(kubectl completion bash)', 'exec.run+script@device'],
    ],
  },
  {
    names: ['helm', 'helmfile'],
    values: ['-n', '--namespace', '-f', '--values', '--set', '--version'],
    run: helm,
    examples: [['helm uninstall x', 'cloud.destroy'], ['helm list']],
  },
  {
    names: ['terraform', 'tofu', 'terragrunt', 'pulumi', 'packer'],
    values: ['-target', '-var', '-var-file', '-chdir', '-s', '--stack', '-out'],
    dash: 'single',
    run: terraform,
    examples: [
      ['terraform destroy -auto-approve', 'cloud.destroy'],
      ['terraform apply', 'cloud.change'],
      ['terraform plan'],
    ],
  },
  {
    names: ['docker', 'podman', 'nerdctl', 'docker-compose', 'podman-compose'],
    values: DOCKER_VALUES,
    run: docker,
    examples: [
      ['docker ps'],
      ['docker system prune -af --volumes', 'cloud.destroy+all'],
      ['docker run -v /:/host alpine rm -rf /host', 'privilege.raise@root', 'fs.delete?+recursive+force@root'],
      ['docker exec c ls', 'fs.list?@other'],
      ['docker compose down -v', 'cloud.destroy'],
      ['docker compose up -d', 'service.change'],
    ],
  },
]
