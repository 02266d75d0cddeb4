import type { RunnerRow } from './runner.ts'

const ROOT = 'fs.delete+recursive+force@root'
const SCRIPT = 'exec.run+script@workspace'
const RAISE = 'privilege.raise'

const NIX = 'nix-shell nix nix-build nix-instantiate lorri devenv devbox flox cached-nix-shell'

/** Programs that start others: in another environment or window, repeatedly, or as one of their steps. */
export const LAUNCHERS: readonly RunnerRow[] = [
  {
    names: NIX,
    values: '--run --command -p --packages -A --attr -I --arg --argstr -E --expr -f --file',
    stopAtOperand: true,
    lines: [
      ['shell', '--run, --command'],
      ['argv', 'develop|shell|run|activate -c|--command…, run|shell|activate --, exec …'],
    ],
    examples: [
      ["nix-shell --run 'rm -rf /'", ROOT],
      ["nix-shell -p hello --command 'rm -rf /'", ROOT],
      ['nix develop -c rm -rf /', ROOT],
      ['nix develop .#a --command rm -rf /', ROOT],
      ['nix shell nixpkgs#hello -c rm -rf /', ROOT],
      ['devenv shell -- rm -rf /', ROOT],
      ['devbox run -- rm -rf /', ROOT],
      ["nix-shell -p jq --run 'jq . a.json'", 'fs.read@workspace'],
      ['nix build'],
    ],
  },
  {
    names: NIX,
    values: '--run --command -p --packages -A --attr -I --arg --argstr -E --expr -f --file',
    stopAtOperand: true,
    lines: [
      [
        'nix',
        './shell.nix|default.nix|flake.nix, develop|shell|run|print-dev-env ./flake.nix, shell|run ./devbox.json',
      ],
    ],
    files: { 'flake.nix': "devShells.x = mkShell { shellHook = ''rm -rf /''; }", 'shell.nix': '{}' },
    examples: [['nix develop', SCRIPT, ROOT]],
  },
  {
    names: 'guix spack pkgx tea hermit proto aqua rye pixi micromamba mamba',
    values: '-m -e -f -p -n --manifest-path --environment',
    stopAtOperand: true,
    lines: [['argv', 'run|exec|x …, --']],
    examples: [
      ['guix shell -- rm -rf /', ROOT],
      ['guix shell python -- rm -rf /', ROOT],
      ['pixi run rm -rf /', ROOT],
      ['rye run rm -rf /', ROOT],
      ['guix search emacs'],
    ],
  },
  {
    names: 'toolbox distrobox distrobox-enter podman-toolbox',
    values: '-c --container -d --distro -r --release -n --name -e --exec',
    stopAtOperand: true,
    lines: [['argv', 'run …, -e|--exec…, --']],
    examples: [
      ['toolbox run rm -rf /', ROOT],
      ['toolbox run -c fedora rm -rf /', ROOT],
      ['distrobox enter box -- rm -rf /', ROOT],
      ['distrobox-enter box -e rm -rf /', ROOT],
      ['toolbox list'],
    ],
  },
  {
    names: 'nodemon supervisor node-dev',
    values: '--exec -x --watch -w --ext -e --ignore -i --delay -d --signal --config',
    lines: [
      ['shell', '--exec|-x'],
      ['argv', '--'],
      ['file javascript', '.'],
      ['file app-command', './nodemon.json'],
    ],
    unless: ['--version', '-v'],
    examples: [
      ["nodemon --exec 'rm -rf /'", ROOT],
      ["nodemon -x 'rm -rf /'", ROOT],
      ['nodemon src/a.js', 'exec.run+script@workspace'],
    ],
  },
  {
    names: 'onchange chokidar watchy wtch',
    values: '-c --command -i --ignore -d -w --watch',
    lines: [
      ['shell', '-c|--command'],
      ['argv', '--'],
    ],
    examples: [
      ["onchange '**/*.js' -- rm -rf /", ROOT],
      ["chokidar '**/*.ts' -c 'rm -rf /'", ROOT],
    ],
  },
  {
    names: `watchexec watchman-make watchman-wait reflex fswatch inotifywait watchmedo ptw pytest-watch when-changed wach
        entr cargo-watch bacon gow hivemind refresh air realize fresh watchfiles hupper rerun guard filewatcher
        steward ag-watch`,
    values: `-e --exts -w --watch -i --ignore -f --filter -s --shell --run -x --exec -c --command --runner --beforerun
        --afterrun --onpass --onfail -g -r -p -d --patterns -m --build.cmd --build.bin`,
    stopAtOperand: true,
    lines: [
      [
        'shell',
        `--run, --exec, --command, -c, --beforerun|--afterrun|--onpass|--onfail|--runner, --build.cmd|--build.bin,
          shell-command --command|-c`,
      ],
      ['argv', '--'],
      ['line', '!shell-command|auto-restart|tricks|watch|init …'],
      ['file air', './.air.toml|air.toml'],
    ],
    examples: [
      ['watchexec -- rm -rf /', ROOT],
      ["watchexec -e js 'rm -rf /'", ROOT],
      ["reflex -r x -- sh -c 'rm -rf /'", ROOT],
      ["watchmedo shell-command --patterns='*.py' --command='rm -rf /' .", ROOT],
      ["ptw --onpass 'rm -rf /'", ROOT],
      ['watchexec -e js npm test'],
    ],
  },
  {
    names: 'runuser su',
    values: '-c --command --session-command -s --shell -g -G -u --user -w',
    stopAtOperand: true,
    lines: [
      ['shell', '--session-command'],
      ['argv', '--, -u|--user…'],
    ],
    when: /^(?:--|-u|--user|--session-command)/,
    examples: [
      ['runuser -u user -- rm -rf /', RAISE, ROOT],
      ["su --session-command='rm -rf /' root", RAISE, ROOT],
      ['runuser -u user -- ls', RAISE, 'fs.list@workspace-root'],
    ],
  },
  {
    names: 'capsh',
    stopAtOperand: true,
    lines: [['with bash', '--']],
    examples: [["capsh -- -c 'rm -rf /'", ROOT], ['capsh --print']],
  },
  {
    names: `systemd-run systemd-nspawn systemd-cat systemd-inhibit pkexec chpst envdir envuidgid setuidgid softlimit
        setlock s6-setuidgid s6-envdir dumb-init tini tini-static su-exec start-stop-daemon daemonize daemon
        cpulimit cpuset schedtool cgexec runcon aa-exec firejail minijail0 nsjail proot fakechroot schroot dchroot
        catatonit execsnoop logsave annotate-output chronic ifne mispipe pee errno vipe timelimit
        doit at-spi-bus-launcher dbus-launch gamemoderun mangohud optirun primusrun prime-run nvidia-offload choom
        uname26 linux32 i386 x86_64 waypipe cage startx xinit Xvfb-run weston-launch heaptrack ltrace
        uftrace bpftrace memusage coz samply flamegraph cargo-flamegraph
        instruments dtruss gtimeout multitime poop bench sandbox-exec arch caffeinate nice xcrun envchain aws-vault
        aws-okta saml2aws teller sops summon berglas vaultenv envconsul consul-template ssh-agent keychain gpg-agent
        dbus-run-session doppler infisical chamber phase op bws akeyless secrethub dotenvx envio`,
    values: '-u -g -e -c -n -p -s -t -d --uid --gid --exec --config -f -P -l --startas --pidfile -x -a -k',
    stopAtOperand: true,
    lines: [
      ['shell', '--startas|--exec, -c'],
      ['argv', '--, exec-env|run …, exec-env * …'],
    ],
    when: /^--$|^--exec|^--startas|^-c$|^exec-env$|^run$/,
    examples: [
      ['tini -- rm -rf /', ROOT],
      ['dumb-init -- rm -rf /', ROOT],
      ['aws-vault exec dev -- rm -rf /', ROOT],
      ["sops exec-env a.yaml 'rm -rf /'", ROOT, 'secret.read'],
      ['aws-vault list'],
    ],
  },
  {
    names: 'sg firejail machinectl dzdo please sux kdesu gksu gksudo lxsudo beesu',
    values: '-c -u -g --user',
    lines: [['shell', '-c']],
    examples: [["sg users -c 'rm -rf /'", ROOT]],
  },
  {
    names: `concurrently npm-run-all run-s run-p npm-run-all2 wireit stmux multirun start-server-and-test server-test
        wait-on cross-env-shell env-cmd shx dotenv-cli with-server execa husky-run is-ci run-if run-script-os kacl
        ntl nps bob`,
    values: '-n --names -c --prefix-colors -f -e --kill-signal --restart-tries -l --max-processes',
    lines: [
      ['shell', '+'],
      ['line', '--'],
    ],
    unless: ['--help'],
    when: /\s|^--$/,
    examples: [
      ["concurrently 'npm run dev' 'rm -rf /'", ROOT],
      ["start-server-and-test 'rm -rf /' 3000 test", ROOT],
      ["concurrently 'npm run a' 'npm run b'"],
    ],
  },
  {
    names: 'cross-env-shell shx shjs dotenv-flow env2',
    stopAtOperand: true,
    lines: [['line', '…']],
    examples: [
      ['shx rm -rf /', ROOT],
      ['shx ls', 'fs.list@workspace-root'],
    ],
  },
  {
    names: 'foreman honcho overmind hivemind goreman nf forego ultraman shoreman',
    values: '-f --procfile -e --env -p --port -m -l',
    stopAtOperand: true,
    lines: [
      ['argv', 'run …'],
      ['file procfile', '-f|--procfile, start|s -f|--procfile, ./Procfile|Procfile.dev'],
    ],
    examples: [
      ['foreman run rm -rf /', ROOT],
      ['honcho -f Procfile.dev start', 'exec.run+script@workspace'],
    ],
  },
  {
    names: 'osh ysh rc es ion murex posh loksh mrsh bosh hush',
    lines: [
      ['file shell', '.'],
      ['shell', '-c|--command'],
    ],
    stopAtOperand: true,
    values: '-c --command -o',
    examples: [
      ['osh a.sh', 'exec.run+script@workspace'],
      ["rc -c 'rm -rf /'", ROOT],
    ],
  },
  {
    names: 'jupyter jupyter-nbconvert jupyter-execute nbconvert papermill runipy testbook nbclient ploomber treon',
    values: '--to --output --output-dir --kernel -k -p --ExecutePreprocessor.timeout --inplace',
    lines: [
      ['file notebook', `nbconvert|execute|run|trust +, !nbconvert|execute|run|notebook|lab|server|kernelspec|trust +`],
    ],
    when: /\.ipynb$/,
    unless: ['--no-execute', '--clear-output'],
    examples: [['jupyter execute x.ipynb', 'exec.run+script@workspace']],
  },
  {
    names: 'pm2 forever strongloop naught',
    values: '--name -n --interpreter -i -o -e -l --node-args -c',
    lines: [['file unknown', 'start .']],
    when: /\.(?:[cm]?[jt]s|py|sh|rb|pl)$/,
    examples: [['pm2 start a.js', 'exec.run+script@workspace', 'service.change']],
  },
  {
    names: 'pm2 forever strongloop naught',
    values: '--name -n --interpreter -i -o -e -l --node-args -c',
    lines: [
      ['shell', 'start .'],
      ['file javascript', 'start|reload|restart ./ecosystem.config.js|ecosystem.config.cjs'],
    ],
    when: /\s|^(?:start|reload|restart)$/,
    examples: [["pm2 start 'rm -rf /'", ROOT, 'service.change']],
  },
  {
    names: `git-filter-repo git-bug git-lfs stgit stg git-branchless gitoxide lerna turbo rush moon ultra mani gita mr
        myrepos repo vcs meta gr git-xargs all-repos-sed bolt`,
    values: '-c --concurrency --scope --since -d --filter',
    stopAtOperand: true,
    lines: [['line', 'exec|shell|forall …, forall -c…, x --, run -c…']],
    examples: [['lerna exec -- rm -rf /', ROOT], ["repo forall -c 'rm -rf /'", ROOT], ['lerna run build']],
  },
  {
    names: 'sbatch qsub bsub salloc',
    values: '--wrap -J -n -N -p -o -t',
    lines: [
      ['shell', '--wrap'],
      ['file unknown', '.'],
    ],
    examples: [
      ["sbatch --wrap='rm -rf /'", ROOT],
      ['sbatch job.sh', 'exec.run+script@workspace'],
    ],
  },
  {
    names: `mpirun mpiexec srun condor_run ddtrace-run opentelemetry-instrument py-spy austin newrelic-admin mprof memray
        jsrun aprun ibrun orterun prun flux tractor qrsh`,
    values: `-n -np -N -p -c -t -o -e -J -q -H --hostfile --oversubscribe -x -G -A -r -a -g -d -s -f --format --duration
        --output`,
    dash: 'single',
    stopAtOperand: true,
    lines: [
      [
        'argv',
        `record|top|dump|start --,
          !record|top|dump|run|run-program|stats|tree|plot|alloc|submit …, run-program|run-python|run|submit …`,
      ],
    ],
    examples: [
      ['mpirun -np 4 rm -rf /', ROOT],
      ['srun -n 1 rm -rf /', ROOT],
      ['py-spy record -- rm -rf /', ROOT],
      ['ddtrace-run rm -rf /', ROOT],
      ['mpirun -np 4 ./solver', 'exec.run+script@workspace'],
    ],
  },
  {
    names: `papermill streamlit chainlit manim torchrun accelerate deepspeed coverage pyinstrument scalene kernprof
        viztracer pudb ipdb ipdb3 pdb locust bpython ptpython marimo mypyc nuitka pythonw py pyston micropython
        circuitpython jython graalpy ironpython ipy xonsh`,
    values: '-o -f -n -p -m --nproc_per_node --num_processes --num_gpus --source --rcfile -e -J -t -N -c',
    stopAtOperand: true,
    lines: [
      [
        'file python',
        `run|launch|debug|test|edit .,
          !run|launch|debug|test|edit|report|html|combine|erase|hello|init|docs|config|cache ., -f`,
      ],
      ['python', '-c'],
    ],
    unless: ['-m', '--wrap', '--module'],
    examples: [
      ['coverage run src/a.py', 'exec.run+script@workspace'],
      ['streamlit run app.py', 'exec.run+script@workspace'],
      ['torchrun --nproc_per_node 2 train.py', 'exec.run+script@workspace'],
      ['micropython -c \'import os; os.system("rm -rf /")\'', ROOT],
      ['coverage report'],
    ],
  },
  {
    names: 'ssh scp autossh mosh sshfs slogin ssh-copy-id rsh et sshuttle',
    values: '-o -F -i -p -l -J -L -R -D -e --ssh -S -c',
    stopAtOperand: true,
    lines: [
      ['ssh-option', '-o'],
      ['file ssh', '-F'],
    ],
    files: { 'x.conf': 'ProxyCommand rm -rf /' },
    examples: [
      ["ssh -o PermitLocalCommand=yes -o 'LocalCommand=rm -rf /' h ls", ROOT, 'net.send', 'fs.list?@workspace-root'],
      ["scp -o 'ProxyCommand=rm -rf /' a.txt web:", ROOT, 'fs.read@workspace', 'net.send'],
      ['ssh -F x.conf h', 'exec.run+script@workspace', ROOT, 'net.fetch'],
    ],
  },
  {
    names: 'ssh-keygen ssh-add openssl gpg gpg2 age pkcs11-tool',
    values: '-D -engine -provider -provider-path',
    dash: 'single',
    lines: [['file unknown', '-D, -engine|-provider']],
    when: /^(?:\.|\/|~)/,
    examples: [['ssh-keygen -D ./x.so', 'exec.run+script@workspace']],
  },
]
