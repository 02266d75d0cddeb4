import { hostCommand } from '../hosts/host-command.ts'

/** `sallyport install`. */
export const install = hostCommand(
  'install',
  'install the guard in a host',
  `Usage: sallyport install HOST [OPTIONS]

Installs the guard in the settings of a host. Nothing else in the file is changed; a second run changes nothing;
\`sallyport uninstall\` restores the file.`,
)
