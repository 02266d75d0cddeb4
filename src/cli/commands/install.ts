import { hostCommand } from '../hosts/host-command.ts'

/** `sallyport install`. */
export const install = hostCommand(
  'install',
  'put the guard into a host',
  `Usage: sallyport install HOST [OPTIONS]

Writes the guard into the settings of a host. Nothing else in a file is touched; a second run changes nothing;
\`sallyport uninstall\` gives back the file.`,
)
