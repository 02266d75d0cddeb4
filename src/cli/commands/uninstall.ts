import { hostCommand } from '../hosts/host-command.ts'

/** `sallyport uninstall`. */
export const uninstall = hostCommand(
  'uninstall',
  'take it out again',
  `Usage: sallyport uninstall HOST [OPTIONS]

Takes the guard out of a host. Where nobody else wrote to its file since, it is again what it was before, to the byte.`,
)
