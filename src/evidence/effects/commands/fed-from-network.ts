import { isLoopback } from '../../../protocol/network-host.ts'
import { type Field, literal, visible } from '../values/field.ts'
import type { Call } from '../engine/call.ts'
import { LANGUAGES } from './interpreters.ts'
import { words } from '../values/words.ts'

/** Programs that treat their input as data: they search, change, count, pack, show or send it, and run none of it. */
const READS_ONLY = new Set(
  words(`
  cat tac nl head tail less more most pg bat batcat view glow mdcat rich column colrm fold fmt pr expand unexpand rev tr cut paste
  join comm sort uniq shuf wc tee sponge split csplit dd pv ts cmp diff colordiff delta sdiff vimdiff icdiff dyff hexyl hexdump xxd od
  strings file grep egrep fgrep zgrep rg ag ack pcregrep pcre2grep ugrep agrep sift fzf fzy sk peco gum jq yq gojq jaq xq tomlq dasel jid fx jless jello
  gron ungron jc json jsonlint prettyjson json_pp json_xs xmllint xmlstarlet xsltproc tidy htmlq pup hxnormalize hxselect html2text pandoc w3m
  lynx elinks links csvlook csvcut csvgrep csvstat csvjson csvsql csvsort in2csv mlr xsv qsv q datamash visidata vd tabulate jtbl
  gzip gunzip zcat bzip2 bunzip2 bzcat xz unxz xzcat lzcat zstd unzstd zstdcat brotli lz4 lz4cat pigz unpigz funzip compress uncompress
  base64 gbase64 base32 basenc base58 uudecode uuencode rot13 md5sum md5 sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum b3sum cksum sum
  openssl gpg gpg2 gpgv age minisign cosign signify ssh-keygen certtool keytool
  tar gtar bsdtar cpio unzip bsdcat ar 7z 7za 7zz pax
  iconv recode dos2unix unix2dos chardet uchardet enca nkf ffmpeg ffprobe ffplay mpv mplayer sox play aplay mpg123 vlc cvlc convert magick identify chafa
  viu catimg feh display imgcat exiftool pdftotext pdfinfo ps2pdf dot neato mmdc plantuml qrencode zbarimg
  pbcopy xclip xsel wl-copy clip clip.exe putclip termux-clipboard-set
  curl curlie wget http https xh httpie nc ncat netcat socat telnet websocat mail mailx msmtp sendmail logger systemd-cat notify-send
  aws gsutil gcloud az rclone s3cmd mc s5cmd
  crontab echo printf read mapfile readarray cd pwd test [ true false : export set unset local declare typeset shift return exit wait sleep mkdir
  touch rm rmdir mv cp ln chmod chown ls stat date seq basename dirname realpath readlink mktemp find which type command git-lfs
  awk gawk mawk nawk sed gsed perl ruby python node nodejs bun deno php lua luajit tsx ts-node pypy ipython
  sh bash zsh dash ash ksh mksh fish xargs parallel sudo doas env time timeout nice nohup stdbuf unbuffer ionice setsid busybox toybox
  source . eval exec ssh docker podman kubectl oc promtool vector fluent-bit trivy grype syft snyk hadolint shellcheck yamllint ajv spectral
  jsonschema check-jsonschema kubeconform kubeval conftest protoc buf sqlfluff pg_restore plistlib plutil spd-say say figlet cowsay lolcat
  progress bar mbuffer buffer throttle numfmt bc cal units ansi2html aha aspell hunspell wdiff diffstat filterdiff lsdiff
`),
)

/** Programs that run their input if they are given neither a file nor code: interpreters, and shells of a language. */
const RUNS_INPUT = new Set(
  words(`
  rc es osh ysh ion murex elvish nu nushell xonsh csh tcsh yash posh loksh oksh mrsh
  jython micropython circuitpython bpython ptpython graalpy jruby mruby truffleruby pry irb hhvm psysh
  tclsh wish expect jimsh octave octave-cli matlab scala scala-cli amm kotlin kotlinc groovy groovysh jshell jrunscript jbang bb
  clojure clj planck lumo joker yaegi gomacro gore evcxr cling root fsi csi dotnet-script gsi csi chicken-csi chibi chibi-scheme guile racket scheme mit-scheme
  sbcl clisp ecl ccl abcl io factor gforth pike rexx regina ooRexx snobol4 algol68g a68g dyalog apl jconsole ijconsole q bqn
  gs ghostscript tex latex pdftex pdflatex xetex xelatex lualatex luatex m4 gm4 ghci runghc runhaskell stack swipl gprolog yap ocaml utop
  erl iex elixir julia R r raku perl6 nim crystal gdb lldb osascript emacs ed ex vi vim nvim dc newlisp picolisp janet fennel wren
  coffee livescript lsc ipython3 d8 qjs jsc hermes rhino njs mujs duktape duk txiki tjs llrt at batch pwsh powershell cmd
`),
)

/** Programs that run the file they are given, so that `-` among their arguments makes them run their input. */
const RUNS_FILE = new Set(
  words(`
  make gmake bmake remake ninja samu just task cmake rake go uv pdm poetry rails tcc ansible-playbook puppet chef-apply chef-client
  emacs awk gawk mawk nawk sed gsed gdb lldb deno bun scala scala-cli jbang osascript pkgx nix-shell drush wp salt-call tmux screen
  rust-script cargo dotnet zig v crystal nim dart swift kotlinc groovy node tsx python ruby perl php lua expect tclsh julia
`),
)

/** An interpreter with code in an option reads its input as data. */
const HAS_CODE = /^-{1,2}(?:c|e|E|r|eval|exec|execute|command|print|p|pe|ne|n|f|file)$/

/** Words after which a framework's program takes code. */
const CONSOLE = /^(?:shell|shell_plus|console|c|tinker|repl|runner|r|dbshell|eval|eval-file|php:script|script)$/

const DOTTED = /[\d.]+$/

const inputArgument = (field: Field): boolean => {
  const text = visible(field)
  return text === '-' || text.includes('/dev/stdin') || /^-[A-Za-z]{1,2}-$/.test(text)
}

const isSubstituted = (field: Field): boolean => field.flow.network && /\/dev\/fd\/sub-/.test(visible(field))

/** Whether everything that the call has fetched came from this machine itself. */
const isOwnMachine = (call: Call): boolean => {
  const hosts = call.engine
    .effects()
    .flatMap(({ kind, targets }) => (kind === 'net.fetch' || kind === 'net.send' ? targets : []))
  return hosts.length > 0 && hosts.every((target) => target.type === 'host' && isLoopback(target.host))
}

/** The program that `xargs` and the like start with their input. */
const startedBy = (call: Call): string | undefined =>
  call.name === 'xargs' || call.name === 'parallel'
    ? visible(
        call.options.operands.find((field) => !/^-|^:::|\/dev\/fd\//.test(visible(field))) ??
          literal(call.name === 'xargs' ? 'echo' : 'sh'),
      )
    : undefined

type Use = 'run' | 'unknown' | 'data'

const useOf = (call: Call, name: string): Use => {
  const given = call.args.some(isSubstituted)
  const taken = call.args.some(inputArgument)
  if (taken && (RUNS_FILE.has(name) || RUNS_INPUT.has(name)) && !isStreamEditor(call, name)) return 'run'
  if (given && (RUNS_FILE.has(name) || RUNS_INPUT.has(name)) && !READS_ONLY.has(name)) return 'run'
  if (RUNS_INPUT.has(name)) {
    const code = call.args.some((field) => HAS_CODE.test(visible(field)))
    const file = call.options.operands.some((field) => !inputArgument(field) && /[./]/.test(visible(field)))
    return code || file ? 'data' : 'run'
  }
  if (LANGUAGES[name] !== undefined)
    return call.args.slice(1).some((field) => CONSOLE.test(visible(field))) ? 'unknown' : 'data'
  const started = startedBy(call)
  if (started !== undefined) return READS_ONLY.has(started) && LANGUAGES[started] === undefined ? 'data' : 'unknown'
  if (READS_ONLY.has(name))
    return TAKES_ORDERS.test(`${name} ${call.args.slice(0, 2).map(visible).join(' ')}`) ? 'unknown' : 'data'
  return 'unknown'
}

/** Arguments with which programs that usually take data run their input. */
const TAKES_ORDERS =
  /^(?:kubectl|oc) (?:apply|create|replace|patch|delete)\b|^(?:docker|podman) (?:compose|stack|play|kube|exec|run)\b|^(?:docker|podman) \S+ (?:play|kube)\b/

/** For a stream editor `-` is its text; only after `-f` is it the program. */
const isStreamEditor = (call: Call, name: string): boolean =>
  /^(?:[gmn]?awk|g?sed)$/.test(name) &&
  !call.args.some(
    (field, at) =>
      /^-n?f(?:-|\/dev\/stdin)$/.test(visible(field)) ||
      (/^(?:-n?f|--file|-E)$/.test(visible(field)) &&
        call.args[at + 1] !== undefined &&
        inputArgument(call.args[at + 1]!)),
  )

/** Programs that take code as an argument, which may consist of network content alone. */
const CODE_ARGUMENT =
  /^(?:[gmn]?awk|g?sed|psql|mysql|mariadb|sqlite3?|duckdb|mongosh?|redis-cli|cqlsh|clickhouse-client|sqlcmd|tmux|screen|zellij|n?vim?|ex|ed|emacs|expect|tclsh|osascript|xdotool|at|crontab|claude|codex|gemini|aider|goose|opencode|llm)$/

/** Whether a word that consists of network content alone is code there. */
const takesCode = (call: Call): boolean =>
  CODE_ARGUMENT.test(call.name) &&
  call.place.onDisk !== true &&
  !isOwnMachine(call) &&
  call.args.some(
    (field) => field.flow.network && field.texts.length === 0 && field.prefix === '' && field.suffix === '',
  )

/**
 * Emits the effect of feeding network content to a program: one that runs its input runs remote code; about one that is
 * not known to only read, a person is asked.
 */
export const emitFed = (call: Call): void => {
  const piped = call.stdin?.flow.network === true
  if (call.args.some((field) => field.flow.network) && takesCode(call)) {
    call.engine.gap('runner', `what came from the network, as code of ${call.name}`, call.name, call.place)
    return
  }
  if (!piped && !call.args.some(isSubstituted)) return
  if (call.name.includes('/')) return
  const name =
    LANGUAGES[call.name] === undefined && !READS_ONLY.has(call.name) ? call.name.replace(DOTTED, '') : call.name
  const use = useOf(call, name)
  if (use === 'data' || call.engine.effects().some(({ kind }) => kind === 'exec.remote')) return
  if (use === 'run') call.emit('exec.remote', [{ type: 'command', name: call.name }])
  else if (call.place.onDisk !== true && call.state.looping !== true && !isOwnMachine(call))
    call.engine.gap('runner', `what ${call.name} does with what comes from the network`, call.name, call.place)
}
