import { SallyportError } from '../../errors/errors.ts'
import type { Command } from '../io/io.ts'
import type { HostAction, HostCommand } from './host-action.ts'
import { HOSTS } from './table.ts'

interface Named {
  readonly name: string
  readonly command: HostCommand
}

const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ')

/** A command that takes a host: `sallyport ACTION HOST`. `about` describes all hosts together. */
export const hostCommand = (action: HostAction, summary: string, about: string): Command => {
  const hosts = HOSTS.flatMap(({ name, [action]: command }): readonly Named[] =>
    command === undefined ? [] : [{ name, command }],
  )
  return {
    name: action,
    summary,
    usage: [about, ...hosts.map(({ name, command }) => `sallyport ${action} ${name} ${command.usage}`)].join('\n\n'),
    async run(args, io) {
      const named = hosts.filter(({ name }) => args.includes(name))
      const [first] = named.toSorted((one, other) => args.indexOf(one.name) - args.indexOf(other.name))
      const [host, ...more] = first?.command.takesHost === true ? [first] : named
      if (host === undefined || more.length > 0)
        throw new SallyportError('SP_USAGE', {
          detail: `\`sallyport ${action}\` takes one host: ${listed(hosts.map(({ name }) => name))}.`,
          command: action,
        })
      return host.command.run(args, io)
    },
  }
}
