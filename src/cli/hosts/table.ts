import type { HostCommand } from './host-action.ts'

/** A host, by its name on the command line. */
export interface HostRow {
  readonly name: string
  readonly install: HostCommand
  readonly uninstall: HostCommand
  /** Absent: there is nothing to look at that `install` would not say. */
  readonly doctor?: HostCommand
}

const DATA = "  --data DIR      the guard's data folder (default: $SALLYPORT_DATA or ~/.local/share/sallyport)"

const CLAUDE_CODE: HostRow = {
  name: 'claude-code',
  install: {
    usage: `[--scope user|project|managed] [--data DIR] [--port N] [--timeout N] [--client FILE]

Writes the guard's hooks into the settings of Claude Code, and the certificate by which the client knows the guard: hooks go
by TLS. A file that NODE_EXTRA_CA_CERTS names already is joined. The guard starts with the first session.

  --scope S       user (default): every project of yours; project: this folder only (.claude/settings.local.json);
                  managed: everyone on this machine, and no repository can switch it off
                  (needs root: sudo --preserve-env=HOME)
${DATA}
  --port N        port of the guard (default: the one in the settings, else server.port of sallyport.yaml)
  --timeout N     seconds the client waits for the guard at every event (default: each event's own)
  --client FILE   the client, whose version decides the form of the hooks (default: $CLAUDE_BIN, or claude on the PATH)`,
    run: async (args, io) => (await import('./claude-code-install.ts')).installClaudeCode(args, io),
  },
  uninstall: {
    usage: `[--scope user|project|managed] [--data DIR]

Takes the guard's hooks out of the settings of Claude Code. A guard that runs goes on running; the trace stays.

  --scope S       the scope it was installed with (default: user)
${DATA}`,
    run: async (args, io) => (await import('./claude-code-install.ts')).uninstallClaudeCode(args, io),
  },
  doctor: {
    usage: `[--client FILE] [--data DIR] [--no-canary] [--json]

Looks whether Claude Code is guarded in this folder: version, settings of all levels, proxies, rights, the guard itself.
Then starts the real client with your own settings against an API of doctor's own, has it call a tool that the guard must
refuse, and looks whether the refusal held. Nothing leaves this machine; the canary does nothing if it runs.

  --client FILE   the client (default: $CLAUDE_BIN, or claude on the PATH)
${DATA}
  --no-canary     do not start the client
  --json          print {"ok":…,"checks":[…]}`,
    run: async (args, io) => (await import('./claude-code-doctor.ts')).doctorClaudeCode(args, io),
  },
}

const OPENCLAW_OPTIONS = `  --config FILE   the host's configuration (default: $OPENCLAW_CONFIG_PATH, or openclaw.json in its state folder)
  --data DIR      folder of the guard's records (default: the one in the configuration, or sallyport in the state folder)`

const OPENCLAW_CLIENT = "  --client FILE   the host's program (default: $OPENCLAW_BIN, or openclaw on the PATH)"

const OPENCLAW: HostRow = {
  name: 'openclaw',
  install: {
    usage: `[--config FILE] [--data DIR] [--client FILE]

Switches the guard's plugin on in openclaw.json, with the permission that it needs, and has OpenClaw itself say whether
it loads it with every hook. A gateway that runs takes it up by itself, unless its reload mode is off.
Exit code 1 when OpenClaw does not load it whole.

${OPENCLAW_OPTIONS}
${OPENCLAW_CLIENT}`,
    run: async (args, io) => (await import('./openclaw-install.ts')).installOpenClaw(args, io),
  },
  uninstall: {
    usage: `[--config FILE] [--data DIR]

Takes the guard's plugin out of openclaw.json. The trace stays.

${OPENCLAW_OPTIONS}`,
    run: async (args, io) => (await import('./openclaw-install.ts')).uninstallOpenClaw(args, io),
  },
  doctor: {
    usage: `[--config FILE] [--data DIR] [--client FILE] [--no-canary] [--json]

Looks how far the guard reaches in OpenClaw: the configuration, what OpenClaw itself says of the plugin, the gateway.
Where the gateway answers, it is then asked to call a tool that the guard must refuse, and that does nothing if it runs.

${OPENCLAW_OPTIONS}
${OPENCLAW_CLIENT}
  --no-canary     do not have the gateway call a tool
  --json          print {"ok":…,"checks":[…]}`,
    run: async (args, io) => (await import('./openclaw-doctor.ts')).doctorOpenClaw(args, io),
  },
}

const GIT: HostRow = {
  name: 'git',
  install: {
    usage: `[--json]

Writes a pre-commit hook into the repository you are in (core.hooksPath counts) that refuses a commit which would add a
secret. A hook that is there already is kept and runs after it; \`git commit --no-verify\` goes round both.`,
    run: async (args, io) => (await import('./git.ts')).installGit(args, io),
  },
  uninstall: {
    usage: `[--json]

Takes the pre-commit hook out and gives back the one from before.`,
    run: async (args, io) => (await import('./git.ts')).uninstallGit(args, io),
  },
}

/** No host: the guard itself, as a service of the machine, with the machine's settings of Claude Code. */
const SYSTEM: HostRow = {
  name: '--system',
  install: {
    usage: `[--user NAME] [--port N] [--client FILE] [--node FILE] [--dry-run] [--json]
       [--root DIR] [--platform linux|darwin]

Makes the guard a service of this machine (systemd): a user of its own, its program, policy and records out of every
other user's reach, and hooks in the managed settings of Claude Code. Needs root. docs/boundaries.md says what then
holds. On macOS only --dry-run and --root work.

  --user NAME     whose agents are guarded (default: who calls sudo)
  --port N        port of the guard (default: 4775)
  --client FILE   the client, whose version decides the form of the hooks; it is run as that user
  --node FILE     Node 24 that runs the guard (default: the one that runs this; copied unless only root can change it)
  --dry-run       print what would be done, and do nothing
  --json          print the plan as JSON, with the files' contents
  --root DIR      write the files below DIR and do nothing else, for packages
  --platform P    for another system than this one`,
    run: async (args, io) => (await import('./system-install.ts')).installSystem(args, io),
  },
  uninstall: {
    usage: `[--purge]

Takes back all that \`install --system\` made. The records and the configuration that somebody edited stay.

  --purge         remove them too, and the guard's user`,
    run: async (args, io) => (await import('./system-uninstall.ts')).uninstallSystem(args, io),
  },
  doctor: {
    usage: `[--json]

Says in one sentence what keeps an agent from the guard, the operating system or the policy, and verifies owners and
rights of all that the first depends on.

  --json          print {"ok":…,"checks":[…]}`,
    run: async (args, io) => (await import('./system-doctor.ts')).doctorSystem(args, io),
  },
}

/** Every host that the guard can be put into, and the machine. */
export const HOSTS: readonly HostRow[] = [CLAUDE_CODE, OPENCLAW, GIT, SYSTEM]
