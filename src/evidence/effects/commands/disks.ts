import type { EffectTrait } from '../../../protocol/evidence.ts'
import { type Field, visible } from '../shell/field.ts'
import { isKnown } from '../value.ts'
import type { Call, CommandRow, Example } from './command.ts'

/** When a disk program changes the disk: always, with one of these options, or with one of these words. */
interface DiskRow {
  readonly names: readonly string[]
  readonly values?: readonly string[]
  readonly dash?: 'single'
  /** Changes whatever it is given, but for options that only look. */
  readonly always?: true
  readonly options?: readonly string[]
  readonly words?: readonly string[]
  readonly examples: readonly Example[]
}

const LOOKS = ['-l', '--list', '-p', '--print', '--no-act', '--dump', '-d', '-h', '--help', '-V', '--version'] as const

const FILE_SYSTEMS =
  'ext2 ext3 ext4 xfs btrfs vfat fat ntfs exfat f2fs minix bfs cramfs msdos reiserfs jfs erofs squashfs udf'.split(' ')

const isDevice = (field: Field): boolean => visible(field).startsWith('/dev/') || !isKnown(field)

/** Says that the devices among the operands are written; a named pool or volume stands for its devices. */
export const writeDevices = (call: Call, traits: readonly EffectTrait[] = []): void => {
  const devices = call.options.operands.filter(isDevice)
  if (devices.length > 0) return call.emit('device.write', call.paths(devices, 'content'), { traits })
  const name = call.options.operands.map(visible).slice(0, 3).join(' ')
  return call.emit('device.write', [{ type: 'resource', name: `${call.name} ${name}`.trim() }], { traits })
}

const ROWS: readonly DiskRow[] = [
  {
    names: [
      'mkfs',
      ...FILE_SYSTEMS.map((kind) => `mkfs.${kind}`),
      'mke2fs',
      'mkdosfs',
      'mkntfs',
      'newfs',
      'blkdiscard',
    ],
    values: ['-t', '-L', '-b', '-U', '-E', '-i', '-m', '--label', '--type'],
    always: true,
    examples: [
      ['mkfs.ext4 /dev/sdb1', 'device.write@device'],
      ['mkfs.ext4 disk.img', 'fs.write@workspace'],
      ['blkdiscard /dev/sda', 'device.write@device'],
    ],
  },
  {
    names: ['pvremove', 'vgremove', 'lvremove', 'pvcreate', 'lvreduce', 'vgreduce'],
    values: ['-L', '--size', '-l', '--reportformat'],
    always: true,
    examples: [
      ['lvremove -f vg/home', 'device.write'],
      ['pvremove /dev/sdb', 'device.write@device'],
    ],
  },
  {
    names: ['wipefs'],
    options: ['-a', '--all', '-o', '--offset'],
    examples: [['wipefs -a /dev/sda', 'device.write@device'], ['wipefs /dev/sda']],
  },
  {
    names: ['badblocks'],
    options: ['-w'],
    examples: [['badblocks -w /dev/sdb', 'device.write@device'], ['badblocks -sv /dev/sdb']],
  },
  {
    names: ['hdparm'],
    options: [
      '--security-erase',
      '--security-erase-enhanced',
      '--trim-sector-ranges',
      '--write-sector',
      '--fwdownload',
    ],
    examples: [['hdparm --security-erase p /dev/sda', 'device.write@device'], ['hdparm -tT /dev/sda']],
  },
  {
    names: ['nvme'],
    words: ['format', 'sanitize', 'delete-ns', 'write', 'write-zeroes', 'write-uncor', 'dsm', 'fw-commit', 'detach-ns'],
    examples: [['nvme format /dev/nvme0', 'device.write@device'], ['nvme list']],
  },
  {
    names: ['cryptsetup'],
    words: [
      'luksFormat',
      'format',
      'erase',
      'luksErase',
      'reencrypt',
      'luksKillSlot',
      'luksRemoveKey',
      'luksHeaderRestore',
    ],
    examples: [['cryptsetup luksFormat /dev/sdb1', 'device.write@device'], ['cryptsetup luksDump /dev/sdb1']],
  },
  {
    names: ['zfs'],
    values: ['-o', '-t'],
    words: ['destroy', 'rollback'],
    examples: [['zfs destroy -r tank/home', 'device.write'], ['zfs create tank/a']],
  },
  {
    names: ['zpool'],
    values: ['-o', '-O'],
    words: ['destroy', 'create', 'labelclear', 'remove', 'detach', 'split', 'rollback', 'offline'],
    examples: [['zpool destroy tank', 'device.write'], ['zfs destroy -r tank/home', 'device.write'], ['zpool status']],
  },
  {
    names: ['btrfs'],
    words: ['delete', 'remove', 'replace', 'zero-log', 'chunk-recover'],
    examples: [['btrfs subvolume delete /srv/a', 'device.write'], ['btrfs filesystem show']],
  },
  {
    names: ['mdadm'],
    options: ['-C', '--create', '--zero-superblock', '--fail', '--remove', '-f', '-r', '--grow', '-G', '--stop', '-S'],
    examples: [['mdadm --zero-superblock /dev/sdb1', 'device.write@device'], ['mdadm --detail /dev/md0']],
  },
  {
    names: ['diskutil'],
    words: [
      'eraseDisk',
      'eraseVolume',
      'partitionDisk',
      'secureErase',
      'zeroDisk',
      'randomDisk',
      'reformat',
      'deleteVolume',
      'deleteContainer',
      'resizeVolume',
      'splitPartition',
      'mergePartitions',
      'destroy',
      'delete',
    ],
    examples: [['diskutil eraseDisk JHFS+ X disk2', 'device.write'], ['diskutil list']],
  },
  {
    names: ['parted'],
    words: ['mklabel', 'mktable', 'mkpart', 'rm', 'resizepart', 'rescue', 'name', 'set', 'toggle', 'disk_set', 'type'],
    examples: [['parted /dev/sda mklabel gpt', 'device.write@device'], ['parted /dev/sda print'], ['parted /dev/sda']],
  },
  {
    names: ['fdisk', 'sfdisk', 'gdisk', 'sgdisk', 'cfdisk'],
    values: ['-s', '-b', '--part-type'],
    always: true,
    examples: [['sgdisk -Z /dev/sda', 'device.write@device'], ['fdisk -l']],
  },
]

const changes = (row: DiskRow, call: Call): boolean => {
  if (call.options.has('--no-act', '--help', '--version')) return false
  if (row.options !== undefined) return call.options.has(...row.options)
  if (row.words !== undefined) return call.options.operands.some((field) => row.words?.includes(visible(field)))
  return row.always === true && !call.options.has(...LOOKS) && call.options.operands.length > 0
}

/** Programs that format, partition and wipe. */
export const DISK_COMMANDS: readonly CommandRow[] = [
  ...ROWS.map((row): CommandRow => ({
    names: row.names,
    ...(row.values ? { values: row.values } : {}),
    ...(row.dash ? { dash: row.dash } : {}),
    run: (call) => {
      if (!changes(row, call)) return
      const [image] = call.options.operands
      // A file system made in a file is a file.
      const inFile = call.name.startsWith('mk') && !call.options.operands.some(isDevice)
      if (inFile && image) call.write([image], undefined)
      else writeDevices(call)
    },
    examples: row.examples,
  })),
  {
    names: ['mkswap'],
    values: ['-L', '-U', '-p', '--uuid', '--label'],
    run: (call) => {
      const [devices, files] = [
        call.options.operands.filter(isDevice),
        call.options.operands.filter((one) => !isDevice(one)),
      ]
      if (devices.length > 0) writeDevices(call)
      call.write(files, undefined)
    },
    examples: [
      ['mkswap /dev/sdb1', 'device.write@device'],
      ['mkswap swap.img', 'fs.write@workspace'],
    ],
  },
]
