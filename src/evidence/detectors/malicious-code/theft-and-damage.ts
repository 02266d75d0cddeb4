import { type CodeRule, LINE, contains, either, follows, near } from './code-rule.ts'

/** Sending to another machine, in the common languages. */
const SENDS =
  /requests\.(?:post|put)\s{0,2}\(|urlopen\s{0,2}\(|http\.client|https?\.request\s{0,2}\(|fetch\s{0,2}\(|axios\.(?:post|put)|axios\s{0,2}\(|\.sendBeacon|XMLHttpRequest|curl\s[^\n]{0,120}(?:\s-d|\s-F|\s-T|--data|--upload|-X\s{0,2}POST)|Net::HTTP\.post|http\.Post(?:Form)?\s{0,2}\(|UploadString|Invoke-(?:WebRequest|RestMethod)[^\n]{0,200}-Method\s{1,3}Post|smtplib|socket\.send|dns\.(?:resolve|lookup)|api\/webhooks\/|api\.telegram\.org\/bot/i

const WEBHOOK =
  /discord(?:app)?\.com\/api\/webhooks\/|api\.telegram\.org\/bot|hooks\.slack\.com\/services|webhook\.site|requestbin|pipedream\.net|burpcollaborator|oast\.|interact\.sh|ngrok/i

/** Code that steals secrets, mines, logs keys, or destroys. */
export const THEFT_AND_DAMAGE_RULES: readonly CodeRule[] = [
  {
    type: 'steals-environment',
    severity: 'critical',
    confidence: 0.93,
    anchors: [
      'json.stringify(process.env',
      'object.entries(process.env',
      'dict(os.environ',
      'json.dumps(dict(os.environ',
      'str(os.environ',
      'os.environ.items(',
      'os.environ.copy(',
      'json=os.environ',
      'data=os.environ',
      '...process.env',
      'env: process.env',
      'env:process.env',
      'os.environ()',
      'json.dumps(os.environ',
      'querystring.stringify(process.env',
    ],
    pattern: String.raw`(?:(?:JSON\.stringify|Object\.entries|querystring\.stringify)\(process\.env(?![\w.[])|(?:json\.dumps\(dict|json\.dumps|dict|str)\(os\.environ(?![\w.[])|(?:json|data)=os\.environ(?![\w.[])|os\.environ\.(?:items|copy)\(|\.\.\.process\.env(?![\w.[])|env:[ ]?process\.env(?![\w.[]))`,
    ignoreCase: true,
    assess: either(
      near(0.95, [SENDS, WEBHOOK], { before: 500, after: 600 }),
      near(
        0.88,
        [
          /JSON\.stringify\s{0,2}\(\s{0,2}(?:\{[^}\n]{0,80}env|process\.env)|querystring|json\.dumps|(?:json|data)\s{0,2}=\s{0,2}(?:dict\()?(?:os\.environ|\{[^}\n]{0,80}environ)/i,
          /requests\.post|https?\.request|fetch\s{0,2}\([^)]{0,200}method:\s{0,2}["']POST|axios\.post|urlopen|method:\s{0,2}["']POST/i,
        ],
        { before: 300, after: 400 },
      ),
    ),
  },
  {
    type: 'steals-environment',
    severity: 'critical',
    confidence: 0.93,
    anchors: ['env |', 'printenv', '$(env', '`env`', 'env|'],
    pattern: String.raw`(?<![\w./-])(?:env[ ]{0,2}\||printenv|\$\(env|${'`'}env${'`'})[^\n]{0,300}`,
    assess: either(
      contains(
        0.93,
        /^(?:env|printenv)[^\n|]{0,20}\|[^\n]{0,80}\b(?:curl\s[^\n]{0,120}(?:-d|-F|-T|--data|--upload)|nc\s|ncat\s|wget\s[^\n]{0,80}--post)/,
      ),
      near(0.93, [/curl\s[^\n]{0,160}(?:-d|--data\S{0,12}|-F)\s{0,2}["']?[^\n]{0,60}(?:\$\((?:env|printenv)|`env`)/], {
        before: 200,
        after: 0,
      }),
    ),
  },
  {
    type: 'steals-credentials',
    severity: 'critical',
    confidence: 0.92,
    anchors: [
      '.ssh/id_',
      '.aws/credentials',
      '.npmrc',
      'login data',
      'wallet.dat',
      '.docker/config.json',
      'cookies.sqlite',
      '.git-credentials',
      'local storage/leveldb',
      'local storage\\leveldb',
      '.kube/config',
      'exodus.wallet',
      'cryptunprotectdata',
    ],
    pattern: String.raw`(?:\.ssh/id_|\.aws/credentials|\.npmrc|Login Data|wallet\.dat|\.docker/config\.json|cookies\.sqlite|\.git-credentials|Local Storage[/\\]{1,2}leveldb|\.kube/config|exodus\.wallet|CryptUnprotectData)`,
    ignoreCase: true,
    assess: either(
      near(
        0.94,
        [
          /readFile|open\s{0,2}\(|read_text|\bcat\s|copyfile|copy2|Get-Content|glob|os\.walk|sqlite3\.connect|-d\s{0,2}@|-F\s|-T\s/i,
          WEBHOOK,
        ],
        { before: 600, after: 800 },
      ),
      near(
        0.9,
        [
          /readFile(?:Sync)?\s{0,2}\(|open\s{0,2}\(|read_text\s{0,2}\(|File\.read|ioutil\.ReadFile|os\.ReadFile/i,
          /requests\.post\s{0,2}\(|https?\.request\s{0,2}\(|axios\.post\s{0,2}\(|fetch\s{0,2}\([^)]{0,200}method:\s{0,2}["']POST|http\.Post|urlopen\s{0,2}\(|Net::HTTP\.post/i,
        ],
        { before: 500, after: 700 },
      ),
      near(
        0.93,
        [
          /curl\s[^\n]{0,160}(?:-d\s{0,2}["']?@|-F\s{0,2}["']?\w{1,20}=@|-T\s{0,2}|--upload-file\s|--data-binary\s{0,2}["']?@)[^\n]{0,60}$/,
        ],
        { before: 240, after: -1 },
      ),
    ),
  },
  {
    type: 'install-script',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['"postinstall"', '"preinstall"', '"install"', '"prepare"'],
    pattern: String.raw`"(?:postinstall|preinstall|install|prepare)"[ ]{0,2}:[ ]{0,2}"[^\n]{1,500}`,
    assess: either(
      contains(0.94, /(?:curl|wget)\s[^\n]{1,200}\|\s{0,3}(?:sudo\s)?(?:ba|da|z)?sh\b/),
      contains(
        0.93,
        /curl\s[^\n]{0,200}(?:-d|--data\S{0,12}|-F)\s[^\n]{0,80}(?:\$\(|`|\$\{?\w{0,20}(?:TOKEN|KEY|SECRET)|@)/i,
      ),
      contains(0.92, /\/dev\/tcp\/|base64\s{1,3}-{1,2}d|powershell[^\n]{0,80}-e(?:nc)?\b|nc\s{1,3}-e/i),
      contains(
        0.92,
        /node\s{1,3}-e\s[^\n]{0,300}(?:process\.env|atob|Buffer\.from)[^\n]{0,200}(?:https?|fetch|eval)|node\s{1,3}-e\s[^\n]{0,300}(?:eval|https?)[^\n]{0,200}(?:process\.env|atob|base64)/,
      ),
    ),
  },
  {
    type: 'crypto-miner',
    severity: 'critical',
    confidence: 0.93,
    anchors: ['stratum+tcp://', 'stratum+ssl://', 'stratum2+tcp://', 'stratum+tls://'],
    pattern: String.raw`stratum2?\+(?:tcp|ssl|tls)://[A-Za-z0-9.-]{3,120}:\d{2,5}`,
    ignoreCase: true,
  },
  {
    type: 'crypto-miner',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['xmrig', 'minerd', 'cpuminer', 'ethminer', 'nbminer', 't-rex '],
    pattern: String.raw`(?<![\w-])(?:xmrig|minerd|cpuminer|ethminer|nbminer|t-rex)(?:\.exe)?["']?[ ,]${LINE}`,
    ignoreCase: true,
    assess: contains(
      0.92,
      /(?:\s|["'])(?:-o|--url|-a|--algo|--donate-level|--coin|-P)(?:\s|=|["'])/,
      /pool|stratum|:\d{4,5}\b|--donate-level|rx\/0|randomx|cryptonight|ethash/i,
    ),
  },
  {
    type: 'crypto-miner',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['pool.', 'pool:', 'mine.', '--coin', 'miners.', 'nicehash', 'unmineable', 'moneroocean'],
    pattern: String.raw`(?<![\w.-])(?:[\w-]{1,40}\.){0,3}(?:\w{0,16}(?:xmr|monero|minex|nanopool|2miners|f2pool|ethermine|hashvault|minergate|nicehash|unmineable|moneroocean|herominers)\w{0,16})(?:\.[a-z]{2,12}){1,2}:\d{2,5}`,
    ignoreCase: true,
    assess: follows(0.92, /(?:\s|["'=])(?:-o|--url|--pool|-P|--server|-S)["']?[\s=,]{1,4}["']?[^\s"']{0,40}$/),
  },
  {
    type: 'crypto-miner',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['coinhive.anonymous(', 'coinhive.user(', 'coinimp', 'cryptoloot.anonymous('],
    pattern: String.raw`(?:CoinHive\.(?:Anonymous|User)|CryptoLoot\.Anonymous|Client\.Anonymous)\(`,
    ignoreCase: true,
  },
  {
    type: 'keylogger',
    severity: 'high',
    confidence: 0.9,
    anchors: [
      'pynput',
      'keyboard.on_press',
      'keyboard.on_release',
      'getasynckeystate',
      'setwindowshookex',
      'keyboard.record(',
    ],
    pattern: String.raw`(?:pynput|keyboard\.on_(?:press|release)|GetAsyncKeyState|SetWindowsHookEx|keyboard\.record\()`,
    ignoreCase: true,
    assess: either(
      near(0.92, [/Listener|on_press|on_release|WH_KEYBOARD|KeyState|record/i, SENDS], { before: 800, after: 1200 }),
      near(
        0.85,
        [
          /Listener|on_press|on_release|WH_KEYBOARD|KeyState/i,
          /key_?log|keystroke|log_?file|\blog\.txt|\.log["']/i,
          /open\s{0,2}\([^)\n]{1,80}["']a|\.write\s{0,2}\(|fprintf|logging\./i,
        ],
        { before: 600, after: 900 },
      ),
    ),
  },
  {
    type: 'ransomware',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['vssadmin', 'wbadmin', 'shadowcopy', 'bcdedit'],
    pattern: String.raw`(?:vssadmin|wbadmin|shadowcopy|bcdedit)(?:\.exe)?[ ]${LINE}`,
    ignoreCase: true,
    assess: contains(
      0.92,
      /^vssadmin(?:\.exe)?\s{1,3}(?:delete\s{1,3}shadows|resize\s{1,3}shadowstorage)|^wbadmin(?:\.exe)?\s{1,3}delete\s{1,3}(?:catalog|systemstatebackup|backup)|^shadowcopy\s{1,3}delete|recoveryenabled\s{1,3}no/i,
    ),
  },
  {
    type: 'ransomware',
    severity: 'critical',
    confidence: 0.9,
    anchors: ['files have been encrypted', 'files are encrypted', 'fernet('],
    pattern: String.raw`(?:files[ ](?:have[ ]been|are)[ ]encrypted|Fernet\()`,
    ignoreCase: true,
    assess: near(
      0.9,
      [
        /os\.walk|glob|readdir|WalkDir|Get-ChildItem/i,
        /encrypt\s{0,2}\(|createCipheriv|AES/i,
        /bitcoin|\bBTC\b|monero|ransom|decrypt(?:ion)? key|\.onion/i,
      ],
      { before: 1500, after: 1500 },
    ),
  },
  {
    type: 'destroys-data',
    commonplace: true,
    severity: 'high',
    confidence: 0.88,
    anchors: ['rm -rf /', 'rm -fr /', '--no-preserve-root', 'rm -rf ~', 'rm -rf $home'],
    pattern: String.raw`(?:rm[ ]-(?:rf|fr)[ ](?:--no-preserve-root[ ])?(?:/\*?|~/?\*?|\$HOME/?\*?)(?=["'${'`'};)]|\s{1,3}(?:[;&|"']|$|\n|--no-pres|2>)|$|\n)|--no-preserve-root[ ]/)`,
    ignoreCase: true,
  },
  {
    type: 'destroys-data',
    severity: 'high',
    confidence: 0.9,
    anchors: ['rmtree(', 'rmsync(', 'rimraf', 'rm_rf(', 'removeall('],
    pattern: String.raw`(?:rmtree|rmSync|rimraf(?:\.sync|Sync)?|rm_rf|RemoveAll)\([ ]{0,2}(?:["']/["']|["']~/?["']|os\.path\.expanduser\(["']~/?["']\)|Path\.home\(\)|(?:os\.)?homedir\(\)|["'][Cc]:[\\/]{1,2}["']|process\.env\.HOME|os\.environ\[["']HOME["']\])[ ]{0,2}[,)]`,
    ignoreCase: true,
  },
  {
    type: 'destroys-data',
    severity: 'high',
    confidence: 0.9,
    anchors: ['of=/dev/sd', 'of=/dev/nvme', 'of=/dev/hd', 'of=/dev/vd', 'of=/dev/disk'],
    pattern: String.raw`of=/dev/(?:sd[a-z]|nvme\d|hd[a-z]|vd[a-z]|disk\d)`,
    assess: near(0.9, [/\bdd\s[^\n]{0,60}if=\/dev\/(?:zero|u?random)/], { before: 100, after: 0 }),
  },
]
