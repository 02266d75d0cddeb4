import type { EffectTrait } from '../../../protocol/evidence.ts'
import { type Field, visible } from '../values/field.ts'
import { isKnown } from '../values/value.ts'
import type { Call, CommandRow, Example } from '../engine/call.ts'
import { words } from '../values/words.ts'

/** When a disk program changes the disk: always, if it is given commands, or with one of these options or words. */
interface DiskRow {
  readonly names: readonly string[]
  readonly values?: readonly string[]
  readonly dash?: 'single'
  /** Options for a dry run. */
  readonly dry?: readonly string[]
  /** With these and none of `options`, it only reads. */
  readonly looks?: readonly string[]
  /** Interactive: changes only what a pipe or a file instructs it to. */
  readonly asks?: true
  readonly options?: readonly string[]
  readonly words?: readonly string[]
  /** Words that change something only with `-f`: otherwise the program refuses devices in use. */
  readonly forced?: readonly string[]
  readonly examples: readonly Example[]
}

const FILE_SYSTEMS = words(
  'ext2 ext3 ext4 xfs btrfs vfat fat ntfs exfat f2fs minix bfs cramfs msdos reiserfs jfs erofs squashfs udf',
)

const isDevice = (field: Field): boolean => visible(field).startsWith('/dev/') || !isKnown(field)

/** Emits writes to the devices among the operands; a named pool or volume counts as its devices. */
export const writeDevices = (call: Call, traits: readonly EffectTrait[] = []): void => {
  const devices = call.options.operands.filter(isDevice)
  if (devices.length > 0) return call.emit('device.write', call.paths(devices, 'content'), { traits })
  const name = call.options.operands.map(visible).slice(0, 3).join(' ')
  return call.emit('device.write', [{ type: 'resource', name: `${call.name} ${name}`.trim() }], { traits })
}

const ROWS: readonly DiskRow[] = [
  {
    names: ['mkfs', ...FILE_SYSTEMS.map((kind) => `mkfs.${kind}`), ...words('mke2fs mkdosfs mkntfs newfs blkdiscard')],
    values: ['-t', '-L', '-b', '-U', '-E', '-i', '-m', '-d', '-l', '-O', '-o', '-p', '--label', '--type', '--rootdir'],
    dry: ['-n', '-N', '--dry-run'],
    examples: [
      ['mke2fs -n /dev/sdb1'],
      ['mkfs.ext4 -d files /dev/sdb1', 'device.write@device'],
      ['mkfs.ext4 /dev/sdX1', 'device.write@unresolved'],
      ['mkfs.ext4 /dev/loop0', 'device.write@unresolved'],
      ['mkfs.ext4 /dev/zram0', 'device.write@temp'],
      ['mkfs.ext4 /dev/sdb1', 'device.write@device'],
      ['mkfs.ext4 disk.img', 'fs.write@workspace'],
      ['blkdiscard /dev/sda', 'device.write@device'],
    ],
  },
  {
    names: ['pvremove', 'vgremove', 'lvremove', 'pvcreate', 'lvreduce', 'vgreduce'],
    values: ['-L', '--size', '-l', '--reportformat'],
    dry: ['-t', '--test'],
    examples: [
      ['lvremove -f vg/home', 'device.write'],
      ['pvremove /dev/sdb', 'device.write@device'],
    ],
  },
  {
    names: ['wipefs'],
    dry: ['-n', '--no-act'],
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
    options: words('--security-erase --security-erase-enhanced --trim-sector-ranges --write-sector --fwdownload'),
    examples: [['hdparm --security-erase p /dev/sda', 'device.write@device'], ['hdparm -tT /dev/sda']],
  },
  {
    names: ['nvme'],
    words: ['format', 'sanitize', 'delete-ns', 'write', 'write-zeroes', 'write-uncor', 'dsm', 'fw-commit', 'detach-ns'],
    examples: [['nvme format /dev/nvme0', 'device.write@device'], ['nvme list']],
  },
  {
    names: ['cryptsetup'],
    words: words('luksFormat format erase luksErase reencrypt luksKillSlot luksRemoveKey luksHeaderRestore'),
    examples: [['cryptsetup luksFormat /dev/sdb1', 'device.write@device'], ['cryptsetup luksDump /dev/sdb1']],
  },
  {
    names: ['zfs'],
    values: ['-o', '-t'],
    words: ['destroy', 'rollback'],
    dry: ['-n'],
    examples: [['zfs destroy -r tank/home', 'device.write'], ['zfs destroy -nrv tank/home'], ['zfs create tank/a']],
  },
  {
    names: ['zpool'],
    values: ['-o', '-O'],
    words: ['destroy', 'labelclear', 'remove', 'detach', 'split', 'rollback', 'offline'],
    forced: ['create', 'add'],
    examples: [
      ['zpool create tank mirror sdb sdc'],
      ['zpool create -f tank /dev/sdb', 'device.write@device'],
      ['zpool destroy tank', 'device.write'],
      ['zfs destroy -r tank/home', 'device.write'],
      ['zpool status'],
    ],
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
    words: words(`eraseDisk eraseVolume partitionDisk secureErase zeroDisk randomDisk reformat deleteVolume
      deleteContainer resizeVolume splitPartition mergePartitions destroy delete`),
    examples: [['diskutil eraseDisk JHFS+ X disk2', 'device.write'], ['diskutil list']],
  },
  {
    // The output is the last of their operands, or follows `-o`.
    names: [
      ...words(`ddrescue dc3dd ntfsclone nwipe dban partimage fsarchiver xfs_db xfs_repair debugfs e2image sg_format
        sg_sanitize sg_write_same grub-install extlinux bmaptool asr`),
      ...FILE_SYSTEMS.map((kind) => `partclone.${kind}`),
    ],
    looks: ['-l', '--list', '-r', '-n', '--version', '--help', '--info', '-i'],
    options: ['-x', '-w', '-f', '--force', '-O', '--overwrite', '-o', '--format', '--erase', '--autonuke', '-R'],
    examples: [
      ['ddrescue -f /dev/zero /dev/sda', 'device.write@device'],
      ['ntfsclone -O /dev/sda x', 'device.write@device'],
      ['sg_format --format /dev/sg0', 'device.write@unresolved'],
      ['xfs_db -r /dev/sda'],
    ],
  },
  {
    names: ['dmsetup'],
    words: ['remove', 'remove_all', 'wipe_table', 'reload', 'clear'],
    examples: [['dmsetup remove_all -f', 'device.write'], ['dmsetup ls']],
  },
  {
    // The memory that the machine boots from, and connected boards and phones.
    names: words(`flashrom efibootmgr nvram bootctl fwupdtool fastboot heimdall esptool esptool.py avrdude ykman
      tpm2_clear`),
    words: ['erase', 'format', 'remove', 'erase_flash', 'erase_region', 'oem', 'flashing', 'reset'],
    options: ['-w', '-E', '--erase', '--write', '-B', '--delete-bootnum', '-c', '-d'],
    looks: ['-r', '--read', '-v', '-L', '-p'],
    examples: [
      ['flashrom -w x.bin', 'device.write'],
      ['efibootmgr -b 0000 -B', 'device.write'],
      ['efibootmgr -v'],
      ['fastboot -w', 'device.write'],
      ['fastboot devices'],
      ['nvram -c', 'device.write'],
    ],
  },
  {
    names: ['parted'],
    words: ['mklabel', 'mktable', 'mkpart', 'rm', 'resizepart', 'rescue', 'name', 'set', 'toggle', 'disk_set', 'type'],
    examples: [['parted /dev/sda mklabel gpt', 'device.write@device'], ['parted /dev/sda print'], ['parted /dev/sda']],
  },
  {
    names: ['fdisk', 'gdisk', 'cfdisk'],
    values: ['-b', '-t', '-C', '-H', '-S'],
    asks: true,
    looks: ['-l', '--list', '-s', '--getsz', '-h', '-V'],
    examples: [['fdisk -l'], ['fdisk /dev/sda'], ["printf 'd\\nw\\n' | fdisk /dev/sda", 'device.write@device']],
  },
  {
    names: ['sfdisk'],
    values: ['-N', '-b', '-O', '-Y'],
    dry: ['-n'],
    options: words(`--delete -A --activate --part-type --part-label --part-uuid --part-attrs --disk-id -r --reorder
      --relocate`),
    looks: ['-l', '--list', '-d', '--dump', '-J', '--json', '-s', '--show-size', '-F', '--list-free', '-T', '-V', '-v'],
    examples: [
      ['sfdisk -d /dev/sda'],
      ['sfdisk --delete /dev/sda 1', 'device.write@device'],
      ['sfdisk --part-type /dev/sda 1 83', 'device.write@device'],
    ],
  },
  {
    names: ['sgdisk'],
    values: ['-i', '-b', '--info', '--backup'],
    dry: ['-P', '--pretend'],
    options: words(`-Z -z -o -d -n -N -t -c -G -g -r -e -m -A -u -U -C -s -T -j -S -R -l -h --zap-all --zap --clear
        --delete --new --largest-new --typecode --change-name --randomize-guids --mbrtogpt --transpose
        --move-second-header --gpttombr --attributes --partition-guid --disk-guid --recompute-chs --sort
        --transform-bsd --adjust-main-table --resize-table --replicate --load-backup --hybrid`),
    examples: [
      ['sgdisk -Z /dev/sda', 'device.write@device'],
      ['sgdisk -p -d 1 /dev/sda', 'device.write@device'],
      ['sgdisk -p /dev/sda'],
    ],
  },
]

const changes = (row: DiskRow, call: Call): boolean => {
  const { has, operands } = call.options
  if (has('--no-act', '--help', '--version', ...(row.dry ?? []))) return false
  if (has(...(row.options ?? []))) return true
  if (row.asks === true && call.stdin === undefined) return false
  const names = (texts: readonly string[] | undefined): boolean =>
    operands.some((field) => texts?.includes(visible(field)) === true)
  if (row.words !== undefined) return names(row.words) || (has('-f') && names(row.forced))
  const always = row.options === undefined || row.looks !== undefined
  return always && !has(...(row.looks ?? [])) && operands.length > 0
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
