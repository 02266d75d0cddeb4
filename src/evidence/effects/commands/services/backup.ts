import type { ServiceRow } from './service.ts'

/** Programs that keep copies: what removes copies cannot be got back from anywhere. */
export const BACKUP: readonly ServiceRow[] = [
  {
    names: ['restic', 'rustic'],
    values: ['-r', '--repo', '--password-file', '-p', '--tag', '--keep-last', '--keep-daily', '--host'],
    lines: [
      ['destroy-all', 'forget --prune, prune'],
      [
        'destroy',
        `forget, key remove, rebuild-index, repair, cache --cleanup, unlock --remove-all, rewrite --forget,
          tag --remove`,
      ],
      ['change', 'backup|init|restore|copy|migrate, key add|passwd'],
    ],
    examples: [
      ['restic forget latest --prune', 'cloud.destroy+all'],
      ['restic backup src', 'cloud.change'],
      ['restic snapshots'],
    ],
  },
  {
    names: ['borg', 'borgmatic'],
    values: ['--keep-daily', '--keep-within', '--keep-weekly', '--remote-path', '--prefix', '-a', '-P'],
    lines: [
      ['destroy-all', 'delete|rdelete|repo-delete'],
      ['destroy', 'prune|compact|recreate, key change-passphrase, break-lock, check --repair, config --delete'],
      ['change', 'create|init|extract|rename|upgrade|import-tar'],
    ],
    examples: [['borg delete r::a', 'cloud.destroy+all'], ['borg compact', 'cloud.destroy'], ['borg list r']],
  },
  {
    names: ['timeshift', 'snapper', 'proxmox-backup-client', 'vzdump'],
    values: ['-c', '--config', '--snapshot', '--comments'],
    lines: [
      ['destroy-all', '--delete|--delete-all, delete, snapshot forget, forget, undochange'],
      ['change', '--create|--restore, create|rollback|backup|restore'],
    ],
    examples: [
      ['timeshift --delete-all', 'cloud.destroy+all'],
      ['snapper delete 1-9', 'cloud.destroy+all'],
      ['snapper list'],
    ],
  },
  {
    names: ['velero', 'duplicity', 'kopia', 'tarsnap', 'pgbackrest', 'wal-g', 'barman', 'duplicacy'],
    values: ['-n', '--namespace', '--confirm-name', '--stanza', '--selector'],
    lines: [
      [
        'destroy-all',
        `backup|restore|schedule delete --all, uninstall, delete everything, nuke, stanza-delete,
          backup|snapshot delete|expire, delete, remove-older-than|remove-all-but-n-full|cleanup --force`,
      ],
      ['destroy', 'restore|schedule|backup-location|snapshot-location delete, expire, prune, -d, --nuke'],
      ['change', 'backup|restore|schedule create, install'],
    ],
    examples: [['velero backup delete a --confirm', 'cloud.destroy+all'], ['velero backup get']],
  },
]
