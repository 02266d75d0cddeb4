import { type CodeRule, assignedBefore, either, follows, near } from './code-rule.ts'

/** A call that runs text, up to its argument, possibly inside calls that only transform the text. */
const RUN_PYTHON =
  /(?<![\w.])(?:exec|eval)\s{0,2}\(\s{0,4}(?:(?:compile|zlib\.decompress|marshal\.loads|bytes|bytearray|str|gzip\.decompress|lzma\.decompress|base64|codecs|binascii|__import__\s{0,2}\([^)\n]{1,40}\)|[a-z_]\w{0,20})(?:\.[a-z0-9_]{1,20})?[.(]{1,2}\s{0,2}){0,5}$/
const RUN_PHP =
  /(?<![\w>])(?:eval|assert|create_function|preg_replace)\s{0,3}\(\s{0,3}(?:["']\?>["']\s{0,2}\.\s{0,2})?(?:@?\w{3,16}\s{0,2}\(\s{0,2}){0,4}$/i
const RUN_SCRIPT =
  /(?<![\w.])(?:eval|(?:new\s{1,3})?Function|execScript|globalThis\.eval|window\.eval|setTimeout|setInterval)\s{0,2}\(\s{0,4}(?:(?:decodeURIComponent|escape|unescape|window|globalThis|String|atob|JSON\.parse|zlib\.\w{1,20})[.(]{1,2}\s{0,2}){0,4}$/
const RUN_RUBY =
  /(?<![\w.])(?:eval|instance_eval|class_eval)\s{0,2}[( ]\s{0,2}(?:Zlib::Inflate\.inflate\s{0,2}\(\s{0,2})?$/

/** Code that hides what it runs. */
export const OBFUSCATION_RULES: readonly CodeRule[] = [
  {
    type: 'hidden-code-php',
    severity: 'critical',
    confidence: 0.95,
    anchors: ['base64_decode(', 'gzinflate(', 'gzuncompress(', 'str_rot13(', 'hex2bin('],
    pattern: String.raw`(?:base64_decode|gzinflate|gzuncompress|str_rot13|hex2bin)\(`,
    ignoreCase: true,
    assess: follows(0.95, RUN_PHP),
  },
  {
    type: 'hidden-code-python',
    severity: 'critical',
    confidence: 0.95,
    anchors: [
      'b64decode(',
      'zlib.decompress(',
      'marshal.loads(',
      'bytes.fromhex(',
      'codecs.decode(',
      'unhexlify(',
      'b85decode(',
      'a85decode(',
      'b32decode(',
    ],
    pattern: String.raw`(?:b64decode|zlib\.decompress|marshal\.loads|bytes\.fromhex|codecs\.decode|unhexlify|b85decode|a85decode|b32decode)\(`,
    assess: follows(0.95, RUN_PYTHON),
  },
  {
    type: 'hidden-code-python',
    severity: 'critical',
    confidence: 0.92,
    anchors: [
      'exec("\\x',
      "exec('\\x",
      "exec(b'\\x",
      'exec(b"\\x',
      "eval('\\x",
      'eval("\\x',
      "exec(''.join(chr",
      'exec("".join(chr',
      "eval(''.join(chr",
      'eval("".join(chr',
      "exec(''.join(map(chr",
      'exec("".join(map(chr',
    ],
    pattern: String.raw`(?<![\w.])(?:exec|eval)\(b?["'](?:(?:\\x[0-9a-f]{2}){8}|["']\.join\()`,
    ignoreCase: true,
  },
  {
    type: 'hidden-code-javascript',
    severity: 'critical',
    confidence: 0.94,
    anchors: ['atob(', 'buffer.from(', 'unescape('],
    pattern: String.raw`(?:atob|Buffer\.from|unescape)\(`,
    ignoreCase: true,
    assess: either(follows(0.94, RUN_SCRIPT), follows(0.94, /(?<![\w.])vm\.runIn(?:This|New)Context\s{0,2}\(\s{0,2}$/)),
  },
  {
    type: 'hidden-code-javascript',
    severity: 'critical',
    confidence: 0.93,
    anchors: ['string.fromcharcode('],
    pattern: String.raw`String\.fromCharCode\((?:[ ]{0,2}(?:0x[0-9a-f]{1,4}|\d{1,5})[ ]{0,2},){7}`,
    ignoreCase: true,
    assess: follows(0.93, RUN_SCRIPT),
  },
  {
    type: 'hidden-code-variable',
    severity: 'critical',
    confidence: 0.9,
    anchors: ['exec(', 'eval(', 'new function(', 'assert('],
    pattern: String.raw`(?<![\w.>-])(?:exec|eval|new[ ]Function|assert)\([ ]{0,2}(\$?[A-Za-z_]\w{0,40})(?:\.decode\([^)\n]{0,20}\)|\.toString\([^)\n]{0,20}\))?[ ]{0,2}\)`,
    assess: assignedBefore(
      0.9,
      String.raw`b64decode\s{0,2}\(|zlib\.decompress\s{0,2}\(|marshal\.loads\s{0,2}\(|bytes\.fromhex\s{0,2}\(|(?<![\w.])atob\s{0,2}\(|Buffer\.from\s{0,2}\([^)\n]{1,60}["'](?:base64|hex)|base64_decode\s{0,2}\(|gzinflate\s{0,2}\(|str_rot13\s{0,2}\(|requests\.get\s{0,2}\(|urlopen\s{0,2}\(`,
    ),
  },
  {
    type: 'hidden-code-ruby',
    severity: 'critical',
    confidence: 0.93,
    anchors: ['base64.decode64(', 'base64.strict_decode64('],
    pattern: String.raw`Base64\.(?:strict_)?decode64\(`,
    ignoreCase: true,
    assess: follows(0.93, RUN_RUBY),
  },
  {
    type: 'hidden-code-perl',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['decode_base64(', 'unpack("u', "unpack('u", 'pack("h', "pack('h"],
    pattern: String.raw`(?:decode_base64|(?:un)?pack)\(`,
    ignoreCase: true,
    assess: follows(0.92, /(?<![\w.$])eval\s{0,2}[({]?\s{0,2}$/),
  },
  {
    type: 'hidden-code-powershell',
    severity: 'critical',
    confidence: 0.92,
    anchors: ['frombase64string('],
    pattern: String.raw`FromBase64String\(`,
    ignoreCase: true,
    assess: near(
      0.92,
      [/\biex\b|Invoke-Expression|Assembly\]?::Load|VirtualAlloc|CreateThread|ScriptBlock\]?::Create/i],
      { before: 200, after: 300 },
    ),
  },
  {
    type: 'hidden-code-powershell',
    severity: 'critical',
    confidence: 0.9,
    anchors: ['-enc ', '-encodedcommand ', '-ec ', '-e j', '-e s'],
    pattern: String.raw`-e(?:nc(?:odedcommand)?|c)?[ ]{1,3}["']?[A-Za-z0-9+/]{40,8192}`,
    ignoreCase: true,
    assess: follows(0.9, /(?:powershell|pwsh)(?:\.exe)?["']?\s[^\n]{0,100}$/i),
  },
  {
    type: 'hidden-code-shell',
    severity: 'critical',
    confidence: 0.93,
    anchors: ['base64 -d', 'base64 --decode', 'xxd -r', 'openssl enc -d', 'openssl base64 -d'],
    pattern: String.raw`(?:base64[ ](?:-d|--decode)|xxd[ ]-r|openssl[ ](?:enc|base64)[ ]-d)[^\n|;&]{0,80}(?:\|[ ]{0,3}(?:gunzip|gzip[ ]-d|zcat|rev)[ ]{0,3})?\|[ ]{0,3}(?:sudo[ ])?(?:/bin/)?(?:(?:ba|da|z)?sh|python3?|perl|node|ruby|php)(?![\w.-])(?![ ]{1,3}(?:[\w./$]|-\w{0,3}[cempn]\b))`,
    ignoreCase: true,
  },
]
