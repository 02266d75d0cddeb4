import type { ServiceRow } from './service.ts'

/** Programs that keep the state of other services, virtual machines, and databases that are rented. */
export const STORES: readonly ServiceRow[] = [
  {
    names: ['consul'],
    values: ['-http-addr', '-token', '-datacenter', '-namespace'],
    dash: 'single',
    lines: [
      ['destroy-all', 'snapshot restore, operator raft remove-peer'],
      ['destroy', 'services|config|intention|acl deregister, leave|force-leave'],
      ['change', 'kv put|import, services|config|intention|acl register|write|create|update'],
    ],
    examples: [
      ['consul kv delete -recurse app/', 'cloud.destroy+all'],
      ['consul kv delete app/a', 'cloud.destroy+all'],
      ['consul kv put app/a b', 'cloud.change'],
      ['consul kv get app/a'],
      ['consul members'],
    ],
  },
  {
    names: ['nomad'],
    values: ['-address', '-namespace', '-region', '-token'],
    dash: 'single',
    lines: [
      ['destroy-all', 'job stop -purge, stop -purge, system gc'],
      ['destroy', 'volume|acl deregister, node drain'],
      ['change', 'job run|stop|scale|revert|dispatch, run|stop, alloc restart|stop, var put'],
    ],
    examples: [
      ['nomad job stop -purge api', 'cloud.destroy+all'],
      ['nomad job stop api', 'cloud.change'],
      ['nomad job status'],
    ],
  },
  {
    names: ['etcdctl'],
    values: ['--endpoints', '--cacert', '--cert', '--key', '--user'],
    lines: [
      ['destroy-all', 'del --prefix|--from-key, snapshot restore, member remove'],
      ['destroy', 'del, user|role|auth disable'],
      ['change', 'put, user|role add|grant-role, compaction|defrag'],
    ],
    examples: [
      ["etcdctl del '' --prefix", 'cloud.destroy+all'],
      ['etcdctl del /a', 'cloud.destroy'],
      ['etcdctl get /a'],
    ],
  },
  {
    names: ['zkCli.sh', 'zkCli', 'zookeepercli', 'zookeeper-shell', 'zookeeper-shell.sh'],
    values: ['-server', '-s', '-timeout'],
    dash: 'single',
    lines: [['destroy-all', 'deleteall|rmr, * deleteall|rmr']],
    examples: [
      ['zkCli.sh -server z:2181 deleteall /app', 'cloud.destroy+all'],
      ['zkCli.sh -server z:2181 rmr /app', 'cloud.destroy+all'],
      ['zkCli.sh ls /'],
    ],
  },
  {
    names: ['nodetool'],
    values: ['-h', '-p', '-u', '-pw'],
    lines: [
      ['destroy-all', 'clearsnapshot, decommission, removenode, assassinate'],
      ['change', 'drain|repair|compact|flush|cleanup'],
    ],
    examples: [['nodetool clearsnapshot --all', 'cloud.destroy+all'], ['nodetool status']],
  },
  {
    names: ['virsh'],
    values: ['-c', '--connect'],
    lines: [
      ['destroy-all', 'undefine, vol-delete|vol-wipe, pool-delete|pool-destroy, snapshot-delete|checkpoint-delete'],
      ['change', 'destroy|shutdown|reset|reboot|start|suspend, define|create|migrate'],
    ],
    examples: [
      ['virsh undefine web --remove-all-storage', 'cloud.destroy+all'],
      ['virsh undefine web-test --remove-all-storage', 'cloud.destroy'],
      ['virsh destroy web', 'cloud.change'],
      ['virsh list --all'],
    ],
  },
  {
    names: ['VBoxManage', 'vboxmanage', 'prlctl', 'vmrun', 'utmctl'],
    lines: [
      ['destroy-all', 'unregistervm --delete-all, closemedium --delete, deleteVM'],
      ['change', 'startvm|controlvm|modifyvm|import|clonevm, start|stop'],
    ],
    examples: [
      ['VBoxManage unregistervm web --delete', 'cloud.destroy+all'],
      ['VBoxManage controlvm web poweroff', 'cloud.change'],
      ['VBoxManage list vms'],
    ],
  },
  {
    names: ['qm', 'pct', 'pvesm', 'zfs-auto-snapshot'],
    lines: [
      ['destroy-all', 'free, delsnapshot'],
      ['change', 'stop|shutdown|start|reboot|migrate|set|create|clone'],
    ],
    examples: [['qm destroy 100 --purge', 'cloud.destroy+all'], ['qm stop 100', 'cloud.change'], ['qm list']],
  },
]
