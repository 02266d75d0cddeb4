import { hostCommand } from '../hosts/host-command.ts'

/** `sallyport uninstall`. */
export const uninstall = hostCommand(
  'uninstall',
  'remove the guard from a host',
  `Usage: sallyport uninstall HOST [OPTIONS]

Removes the guard from a host. If nothing else has changed the file since, it is restored byte for byte.`,
)
