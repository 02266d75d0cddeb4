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
        `forget, rebuild-index, repair, cache --cleanup, unlock --remove-all, rewrite --forget, tag --remove`,
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
      ['destroy-all', 'rdelete|repo-delete'],
      ['destroy', 'prune|compact|recreate, key change-passphrase, break-lock, check --repair, config --delete'],
      ['change', 'create|init|extract|rename|upgrade|import-tar'],
    ],
    examples: [['borg delete r::a', 'cloud.destroy+all'], ['borg compact', 'cloud.destroy'], ['borg list r']],
  },
  {
    names: ['timeshift', 'snapper', 'proxmox-backup-client', 'vzdump'],
    values: ['-c', '--config', '--snapshot', '--comments'],
    lines: [
      ['destroy-all', '--delete-all, snapshot forget, forget, undochange'],
      ['change', '--create|--restore, create|rollback|backup|restore'],
    ],
    examples: [
      ['timeshift --delete-all', 'cloud.destroy+all'],
      ['timeshift --restore', 'cloud.change'],
      ['snapper delete 1-9', 'cloud.destroy+all'],
      ['snapper list'],
    ],
  },
  {
    names: ['velero', 'duplicity', 'kopia', 'tarsnap', 'pgbackrest', 'wal-g', 'barman', 'duplicacy'],
    values: ['-n', '--namespace', '--confirm-name', '--stanza', '--selector'],
    lines: [
      ['destroy-all', 'uninstall, nuke, stanza-delete, backup|snapshot expire, cleanup --force'],
      ['destroy', 'expire, prune, -d, --nuke'],
      ['change', 'backup|restore|schedule create, install'],
    ],
    examples: [
      ['velero backup delete a --confirm', 'cloud.destroy+all'],
      ['velero restore create --from-backup a', 'cloud.change'],
      ['velero backup get'],
    ],
  },
]
