import { hostCommand } from '../hosts/host-command.ts'

/** `sallyport doctor`. */
export const doctor = hostCommand(
  'doctor',
  'check that a host is guarded, with a canary through the real client',
  `Usage: sallyport doctor HOST [OPTIONS]

Checks whether a host is guarded, and proves it with a harmless canary. Exit code 1 if something has to be fixed.`,
)
