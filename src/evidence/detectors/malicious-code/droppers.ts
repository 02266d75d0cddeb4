import { type CodeRule, LINE, contains, either, follows, near } from './code-rule.ts'

const BARE_HOST =
  /https?:\/\/\d{1,3}(?:\.\d{1,3}){3}|\/dev\/shm|\/tmp\/\.|\.(?:onion|top|xyz|tk|ru)\b|(?:pastebin\.com|paste\.ee|transfer\.sh|ngrok)/i
const HIDDEN_WINDOW = /-w(?:indowstyle)?\s{1,3}(?:hidden|h|1)\b|\bbypass\b|-nop\b|AmsiUtils|-enc\b/i

/** Code that downloads programs and runs them unseen. */
export const DROPPER_RULES: readonly CodeRule[] = [
  {
    type: 'dropper-powershell',
    severity: 'critical',
    confidence: 0.93,
    anchors: ['downloadstring(', 'downloadfile(', 'downloaddata(', 'invoke-webrequest', 'iwr ', 'irm '],
    pattern: String.raw`(?:Download(?:String|File|Data)\(|Invoke-WebRequest|\biwr[ ]|\birm[ ])`,
    ignoreCase: true,
    assess: near(
      0.93,
      [
        /\biex\b|Invoke-Expression|Start-Process|Assembly\]?::Load|&\s{0,2}["'$]/i,
        /powershell|New-Object|\$\w|Net\.WebClient|iwr|irm/i,
        new RegExp(`${BARE_HOST.source}|${HIDDEN_WINDOW.source}`, 'i'),
      ],
      { before: 200, after: 240 },
    ),
  },
  {
    type: 'dropper-shell',
    severity: 'critical',
    confidence: 0.9,
    anchors: ['chmod +x', 'chmod 777', 'chmod 755', 'chmod u+x', 'chmod a+x'],
    pattern: String.raw`chmod[ ](?:[ua]?\+x|7[75][75])`,
    assess: near(
      0.9,
      [
        /\b(?:curl|wget|tftp|ftpget)\b/,
        BARE_HOST,
        /[;&|\n]\s{0,8}(?:sudo\s|nohup\s|setsid\s|sh\s|\()?\s{0,2}(?:\.\/|\/tmp\/|\/dev\/shm\/|\/var\/tmp\/|\$\w)/,
      ],
      { before: 300, after: 160 },
    ),
  },
  {
    type: 'dropper-shell',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['curl ', 'wget '],
    pattern: String.raw`(?:curl|wget)[ ]${LINE}`,
    assess: contains(
      0.92,
      /^[^|\n]{1,240}\bhttps?:\/\/(?!127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}[^|\n]{0,200}\|\s{0,3}(?:sudo\s{1,3})?(?:\/bin\/)?(?:(?:ba|da|z)?sh|python3?|perl)\b/,
    ),
  },
  {
    type: 'remote-eval-python',
    severity: 'critical',
    confidence: 0.95,
    anchors: ['requests.get(', 'urlopen(', 'httpx.get(', 'urlretrieve('],
    pattern: String.raw`(?:requests\.get|urlopen|httpx\.get|urlretrieve)\(`,
    assess: follows(
      0.95,
      /(?<![\w.])(?:exec|eval)\s{0,2}\(\s{0,2}(?:(?:compile|bytes|str)\s{0,2}\(\s{0,2})?(?:__import__\([^)\n]{1,30}\)|[\w.]{0,40})\.?$/,
    ),
  },
  {
    type: 'remote-eval-javascript',
    severity: 'critical',
    confidence: 0.93,
    anchors: ['fetch(', 'axios.get(', 'axios(', 'got('],
    pattern: String.raw`(?:fetch|axios(?:\.get)?|got)\(`,
    assess: follows(
      0.93,
      /(?<![\w.])(?:eval|new\s{1,3}Function)\s{0,2}\(\s{0,2}(?:\(?\s{0,2}await\s{1,3}){1,3}\(?\s{0,2}$/,
    ),
  },
  {
    type: 'remote-eval-javascript',
    severity: 'critical',
    confidence: 0.9,
    anchors: [
      'eval(res',
      'eval(body',
      'eval(data',
      'eval(chunk',
      'eval(code',
      'eval(r.data',
      'function(res',
      'eval(payload',
    ],
    pattern: String.raw`(?<![\w.])(?:eval|new[ ]Function)\([ ]{0,2}(?:response|res|r|body|data|chunks?|code|payload)(?:\.data|\.body|\.text|\.join|\.toString|\))`,
    ignoreCase: true,
    assess: near(0.9, [/https?\.get\s{0,2}\(|\bfetch\s{0,2}\(|axios|request\s{0,2}\(|\bgot\b/, /https?:\/\//], {
      before: 500,
      after: 60,
    }),
  },
  {
    type: 'living-off-the-land',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['mshta', 'regsvr32', 'rundll32', 'certutil', 'bitsadmin'],
    pattern: String.raw`(?:mshta|regsvr32|rundll32|certutil|bitsadmin)(?:\.exe)?[ ]${LINE}`,
    ignoreCase: true,
    assess: either(
      contains(0.94, /^mshta(?:\.exe)?\s{1,3}["']?(?:https?:|vbscript:|javascript:)/i),
      contains(0.94, /\/i:["']?https?:[^\n]{1,200}scrobj/i),
      contains(0.94, /^rundll32(?:\.exe)?\s{1,3}["']?javascript:/i),
      contains(0.9, /^certutil/i, /-urlcache/i, /https?:/i, /[;&|][^\n]{0,60}\.(?:exe|ps1|bat|dll)/i),
    ),
  },
  {
    type: 'persistence-cron',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['crontab', '/etc/cron', '/var/spool/cron'],
    pattern: String.raw`(?:crontab|/etc/cron|/var/spool/cron)`,
    assess: near(
      0.92,
      [
        /(?:\*|@reboot|@hourly|@daily)/,
        /(?:curl|wget)[^\n]{1,160}\|\s{0,3}(?:sudo\s)?(?:ba)?sh\b|\/dev\/tcp\/|base64\s{1,3}-{1,2}d|\/(?:tmp|dev\/shm|var\/tmp)\/\.\w/,
      ],
      { before: 240, after: 240 },
    ),
  },
  {
    type: 'persistence-login',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['.bashrc', '.zshrc', '.profile', '.bash_profile', '/etc/rc.local'],
    pattern: String.raw`(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|/etc/rc\.local)`,
    assess: near(
      0.92,
      [
        />>|["'][aw]\+?["']|appendFile/,
        /(?:curl|wget)[^\n]{1,160}\|\s{0,3}(?:ba)?sh\b|\/dev\/tcp\/|base64\s{1,3}-{1,2}d|nohup[^\n]{0,40}\/tmp\//,
      ],
      { before: 240, after: 120 },
    ),
  },
  {
    type: 'persistence-service',
    severity: 'high',
    confidence: 0.88,
    anchors: ['execstart=', 'programarguments'],
    pattern: String.raw`(?:ExecStart=${LINE}|ProgramArguments)`,
    ignoreCase: true,
    assess: near(
      0.88,
      [
        /(?:curl|wget)[^\n]{1,160}\|\s{0,3}(?:ba)?sh\b|\/dev\/tcp\/|\/dev\/shm\/|\/(?:var\/)?tmp\/\.\w|base64\s{1,3}-{1,2}d/i,
      ],
      { before: 0, after: 300 },
    ),
  },
  {
    type: 'persistence-run-key',
    severity: 'high',
    confidence: 0.88,
    anchors: ['currentversion\\run', 'currentversion\\\\run'],
    pattern: String.raw`CurrentVersion\\{1,4}Run(?:Once)?`,
    ignoreCase: true,
    assess: near(
      0.88,
      [
        /reg(?:\.exe)?\s{1,3}add|(?:Set|New)-ItemProperty|RegSetValueEx|SetValueEx?\s{0,2}\(|CreateKey|OpenKey/i,
        /\.exe|\.ps1|\.vbs|\.bat|\.py|powershell|sys\.argv|__file__|Temp\\|AppData/i,
      ],
      { before: 300, after: 300 },
    ),
  },
  {
    type: 'persistence-task',
    severity: 'high',
    confidence: 0.88,
    anchors: ['schtasks'],
    pattern: String.raw`schtasks(?:\.exe)?[ ]${LINE}`,
    ignoreCase: true,
    assess: contains(0.88, /\/create/i, /powershell|-enc|https?:|\\Temp\\|mshta|wscript|%temp%|AppData/i),
  },
]
