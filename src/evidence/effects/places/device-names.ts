import type { World } from '../../../protocol/world.ts'

/** Block devices that are memory: what is in them is gone with the power (Linux, brd and zram). */
const MEMORY = /^\/dev\/(?:zram|ram)\d+$/

/** Devices behind which stands whatever was put there: an image file, a disc, a floppy, another machine's export. */
const CARRIER = /^\/dev\/(?:loop\d+(?:p\d+)?|sr\d+|cdrom|dvd|fd\d+|nbd\d+(?:p\d+)?)$/

/** Names that kernels give to disks and their parts (Linux block drivers, BSD and macOS), lower case where they are. */
const DISK =
  /^(?:[shv]d[a-z]{1,3}\d*|xvd[a-z]{1,2}\d*|nvme\d+(?:c\d+)?(?:n\d+(?:p\d+)?)?|mmcblk\d+(?:p\d+|boot\d|rpmb)?|md\d+(?:p\d+)?|dm-\d+|bcache\d+|pmem\d+(?:p\d+)?|dasd[a-z]+\d*|r?disk\d+(?:s\d+)*|(?:a?da|nvd|vtbd)\d+(?:[sp]\d+)*|disk)$/

/** What else every machine has below `/dev`. */
const NO_DISK =
  /^(?:mem|kmem|port|kmsg|console|null|zero|full|u?random|std(?:in|out|err)|fd|tty\w*|ptmx|fb\d+|watchdog\d*|kvm|fuse|shm)$/

/** Whether a path below `/dev` is memory that looks like a disk. */
export const isMemoryDevice = (path: string): boolean => MEMORY.test(path)

/**
 * Whether a path below `/dev` cannot be said to be a disk: what it carries is not known before the run, or it is a name
 * that no disk has and nothing has on this machine, as the `/dev/sdX` of a manual.
 */
export const isUncertainDevice = (path: string, world: World): boolean => {
  if (CARRIER.test(path)) return true
  const name = path.slice('/dev/'.length)
  if (name === '' || name.includes('/') || /[*?[]/.test(name) || DISK.test(name) || NO_DISK.test(name)) return false
  // Spelt as no kernel does, but for a file system that ignores case.
  if (/^r?disk\d/i.test(name)) return false
  return world.pathKind(path) === 'missing'
}
