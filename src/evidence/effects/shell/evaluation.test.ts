import { describe, expect, test } from 'vitest'
import { GAP_TRAITS } from '../../../protocol/evidence.ts'
import { analyse } from '../fixture.ts'

const isStopped = (command: string): boolean =>
  analyse(command).effects.some(
    ({ kind, traits, targets }) =>
      kind === 'fs.delete' ||
      kind === 'exec.decoded' ||
      (kind === 'exec.run' && targets.some(({ type }) => type === 'unknown')) ||
      (kind === 'unresolved' && GAP_TRAITS.some((how) => traits.includes(how))),
  )

/** Places where bash reads text as code; each of these deletes the home folder, the last word of each line says how. */
const BASH: Readonly<Record<string, readonly string[]>> = {
  subscripts: [
    "[[ -v 'a[$(rm -rf ~)]' ]]",
    "test -v 'a[$(rm -rf ~)]'",
    "[ -v 'a[`rm -rf ~`]' ]",
    "unset 'a[$(rm -rf ~)]'",
    "unset -v 'a[$(rm -rf ~)]'",
    "read 'a[$(rm -rf ~)]' <<< 1",
    "read -r -a 'a[$(rm -rf ~)]' <<< 1",
    "mapfile 'a[$(rm -rf ~)]' <<< 1",
    "printf -v 'a[$(rm -rf ~)]' 1",
    "getopts x 'a[$(rm -rf ~)]'",
    "declare 'a[$(rm -rf ~)]=1'",
    "export 'a[$(rm -rf ~)]=1'",
    "wait -n -p 'a[$(rm -rf ~)]'",
    'exec {a[$(rm -rf ~)]}>/dev/null',
    'a[$(rm -rf ~)]=1',
    'x=([$(rm -rf ~)]=1)',
    "y='a[$(rm -rf ~)]'; x=([y]=1)",
    "r='a[$(rm -rf ~)]'; echo ${!r}",
    "declare -n r='a[$(rm -rf ~)]'; echo $r",
  ],
  arithmetic: [
    "x='a[$(rm -rf ~)]'; echo $((x))",
    "x='a[$(rm -rf ~)]'; ((x))",
    "x='a[$(rm -rf ~)]'; y=x; ((y++))",
    "x='a[$(rm -rf ~)]'; [[ $x -eq 1 ]]",
    "x='a[$(rm -rf ~)]'; [[ 1 -lt x ]]",
    "x='a[$(rm -rf ~)]'; echo ${b[x]}",
    "x='a[$(rm -rf ~)]'; echo ${b:x:1}",
    "x='a[$(rm -rf ~)]'; let y=x",
    "x='a[$(rm -rf ~)]'; for ((i=x;0;)); do :; done",
    "declare -i n; n='a[$(rm -rf ~)]'",
    "declare -i n='a[$(rm -rf ~)]'",
    "typeset -i 'n=a[$(rm -rf ~)]'",
    "echo $(( '$(rm -rf ~)' ))",
    "(( '`rm -rf ~`' ))",
    'echo $[ $(rm -rf ~) ]',
  ],
  prompts: [
    "PS4='$(rm -rf ~)'; set -x; :",
    "PS4='$(rm -rf ~)' bash -xc :",
    "export PS4='$(rm -rf ~)'; bash -x x.sh",
    "env PS4='$(rm -rf ~)' bash -xc :",
    "PS1='$(rm -rf ~)' bash -i",
    'PS0=\\`rm\\ -rf\\ ~\\`',
    "PROMPT_COMMAND='rm -rf ~'",
    "PROMPT_COMMAND+=('rm -rf ~')",
    "declare PROMPT_COMMAND='rm -rf ~'",
    "x='$(rm -rf ~)'; echo ${x@P}",
    'x=\'$(rm -rf ~)\'; echo "${x@P}"',
    "set -- '$(rm -rf ~)'; echo ${1@P}",
    "x=('$(rm -rf ~)'); echo ${x[0]@P}",
  ],
  'variables of other shells': [
    "BASH_ENV='$(rm -rf ~)' bash -c :",
    "ENV='$(rm -rf ~)' sh -i",
    "export BASH_ENV='$(rm -rf ~)'; bash -c :",
    "env 'BASH_FUNC_ls%%=() { rm -rf ~; }' bash -c ls",
    'f() { rm -rf ~; }; export -f f; bash -c f',
  ],
  'code for later': [
    "trap 'rm -rf ~' EXIT",
    "trap -- 'rm -rf ~' ERR",
    "complete -C 'rm -rf ~' ls",
    "compgen -W '$(rm -rf ~)'",
    'f() { rm -rf ~; }; compgen -F f',
    'bind -x \'"\\C-x": rm -rf ~\'',
    "mapfile -C 'rm -rf ~ #' -c 1 a <<< x",
    "readarray -C 'rm -rf ~;' -c1 a <<< x",
    'command_not_found_handle() { rm -rf ~; }; nope',
    "fc -e 'rm -rf ~'",
  ],
  'names for code': [
    'hash -p /bin/rm x; x -rf ~',
    'BASH_CMDS[x]=/bin/rm; x -rf ~',
    "BASH_ALIASES[x]='rm -rf ~'; x",
    'f() { f() { rm -rf ~; }; f; }; f',
  ],
  'arguments as code': [
    "xargs -0 sh -c <<< 'rm -rf ~'",
    "printf 'rm -rf ~\\0' | xargs -0 sh -c",
    "echo 'rm -rf ~' | xargs -d '\\n' bash -c",
    "bash -c 'eval \"$0\"' 'rm -rf ~'",
  ],
  'elements and channels': [
    'a=([0]=rm [1]=-rf [2]=~); "${a[@]}"',
    'declare -A m=([c]=\'rm -rf ~\'); eval "${m[c]}"',
    "exec <<< 'rm -rf ~'; bash",
    'echo rm -rf ~ > >(bash)',
    "tee >(bash) <<< 'rm -rf ~'",
    "exec 5> >(bash); echo 'rm -rf ~' >&5",
    "coproc bash; echo 'rm -rf ~' >&${COPROC[1]}",
  ],
  branches: ['case x in x) ;& y) rm -rf ~;; esac', 'case x in x) ;;& *) rm -rf ~;; esac'],
  'patterns and braces': [
    'echo @($(rm -rf ~))',
    'echo [$(rm -rf ~)]',
    'echo {a,$(rm -rf ~)}',
    'echo ${x^^$(rm -rf ~)}',
  ],
}

/** The same of zsh, where most is no grammar of bash. */
const ZSH: readonly string[] = [
  'repeat 1 rm -rf ~',
  'repeat 1 { rm -rf ~ }',
  'repeat 1 { true; rm -rf ~ }',
  'repeat 1; do rm -rf ~; done',
  'noglob rm -rf ~',
  '- rm -rf ~',
  '=rm -rf ~',
  'sudo =rm -rf ~',
  'zmodload zsh/files; zf_rm -rf ~',
  '() { rm -rf ~ }',
  '() { rm -rf ~ } a b',
  'function { rm -rf ~ }',
  'function a b { rm -rf ~ }; a',
  'a b () { rm -rf ~ }; a',
  'for x (1) rm -rf ~',
  'for x (1) { rm -rf ~ }',
  'for x in 1; rm -rf ~',
  'foreach x (1) rm -rf ~; end',
  'foreach x (1)\nrm -rf ~\nend',
  '{ true } always { rm -rf ~ }',
  '{ true; } always { rm -rf ~; }',
  'if [[ 1 ]] { rm -rf ~ }',
  'if (true) rm -rf ~',
  'while (true) rm -rf ~',
  'until false { rm -rf ~ }',
  'case x { (x) rm -rf ~ ;; }',
  'select x (a) rm -rf ~',
  "ls *(e:'rm -rf ~':)",
  "ls *(e{'rm -rf ~'})",
  "ls x*(oe:'rm -rf ~':)",
  'myfn() { rm -rf ~; }; ls *(+myfn)',
  "x='$(rm -rf ~)'; echo ${(e)x}",
  "echo ${(e):-'$(rm -rf ~)'}",
  "x='$(rm -rf ~)'; echo ${(%)x}",
  "print -P '$(rm -rf ~)'",
  'precmd() { rm -rf ~ }',
  'preexec() { rm -rf ~; }',
  'chpwd() { rm -rf ~; }; cd /',
  'TRAPEXIT() { rm -rf ~; }',
  'zshexit() { rm -rf ~; }',
  'f() { rm -rf ~; }; add-zsh-hook precmd f',
  'x() { rm -rf ~; }; chpwd_functions=(x)',
  "functions[x]='rm -rf ~'; x",
  "aliases[x]='rm -rf ~'; x",
  'commands[x]=/bin/rm; x -rf ~',
  "alias -g X='; rm -rf ~'; echo X",
  "alias -s txt='rm -rf ~'; a.txt",
  "emulate sh -c 'rm -rf ~'",
  "zpty x 'rm -rf ~'",
  'sched +0 rm -rf ~',
  'cat =(rm -rf ~)',
  'a=(x rm); $a[2] -rf ~',
  "echo 'ls\\nrm -rf ~' | sh",
  "zsh -c 'for x (1) rm -rf ~'",
  "zsh -c '() { rm -rf ~ }'",
  "zsh -fc 'repeat 1 rm -rf ~'",
  "zsh <<< '() { rm -rf ~ }'",
  "zmv '(*)' '$(rm -rf ~)'",
  'rm -rf ~ &!',
  'rm -rf ~ &|',
  "integer n='a[$(rm -rf ~)]'",
  "x='rm -rf'; ${=x} ~",
  "x='rm -rf'; $=x ~",
  'x=(rm -rf ~); $x',
  'x=(rm -rf ~); "$x[@]"',
  'rm -rf $~HOME',
  'zargs -- ~ -- rm -rf',
  "alias -g G='| sh'; echo 'rm -rf ~' G",
  'print -n rm -rf ~ | . /dev/stdin',
  "printf %d 'a[$(rm -rf ~)]'",
]

/** The same of fish and of shells that are read only where all agree. */
const OTHER: readonly string[] = [
  'begin; rm -rf ~; end',
  'true; and rm -rf ~',
  'false; or rm -rf ~',
  'not rm -rf ~',
  'echo (rm -rf ~)',
  'echo a(rm -rf ~)b',
  'set x (rm -rf ~)',
  'if true; rm -rf ~; end',
  'for x in 1; rm -rf ~; end',
  'while true; rm -rf ~; end',
  "switch a; case '*'; rm -rf ~; end",
  'function x; rm -rf ~; end; x',
  "alias x 'rm -rf ~'; x",
  'set x rm; $x -rf ~',
  "fish -c 'rm -rf ~'",
  "fish -c 'echo (rm -rf ~)'",
  "fish -c 'begin; rm -rf ~; end'",
  "fish -c '\\x72\\x6d -rf ~'",
  "fish -C 'rm -rf ~' -c ls",
  "fish <<< 'echo (rm -rf ~)'",
  "complete -c ls -a '(rm -rf ~)'",
  "abbr -a ls 'rm -rf ~'",
  "bind \\cx 'rm -rf ~'",
  "csh -c 'foreach x (1); rm -rf ~; end'",
  "tcsh -c 'if (1) rm -rf ~'",
  "nu -c '^rm -rf ~'",
  "xonsh -c '![rm -rf ~]'",
  "elvish -c 'if $true { rm -rf ~ }'",
  "ksh -c 'x=${ rm -rf ~; }'",
  "yash -c 'rm -rf ~'",
]

describe('where a shell reads text as code, the text is followed or a gap is told', () => {
  test.each(Object.entries(BASH).flatMap(([what, lines]) => lines.map((line) => [what, line] as const)))(
    'bash, %s: %s',
    (_, line) => {
      expect([line, isStopped(line)]).toEqual([line, true])
    },
  )

  test.each(ZSH)('zsh: %s', (line) => {
    expect([line, isStopped(line)]).toEqual([line, true])
  })

  test.each(OTHER)('another shell: %s', (line) => {
    expect([line, isStopped(line)]).toEqual([line, true])
  })
})

describe('what looks like it and is none', () => {
  const gaps = (command: string): readonly string[] =>
    analyse(command).effects.flatMap(({ kind, traits }) =>
      kind === 'unresolved' || kind === 'fs.delete' ? [kind, ...traits] : [],
    )

  test.each([
    'echo $((a[1] + b[i]))',
    'arr=(a b c); echo "${arr[1]}" "${#arr[@]}" "${arr[@]:1}"',
    'unset "arr[0]"',
    'declare -A m=([a]=1 [b]=2); echo "${m[a]}"',
    'declare -i n=3; n+=1',
    'for ((i = 0; i < 10; i++)); do echo $i; done',
    "PS1='\\u@\\h:\\w\\$ '",
    "export PS1='$(git branch --show-current) $ '",
    "trap 'echo done' EXIT",
    'trap - INT',
    'complete -F _git git',
    'alias ll="ls -l"; ll',
    "printf '%s\\n' a[0] b[1]",
    'read -r line < file.txt',
    'mapfile -t lines < file.txt',
    'case $1 in a|b) echo x ;; *) echo y ;; esac',
    'ls *.txt [abc]* ?(a|b) 2>/dev/null',
    'ls -l *(e*x)',
    'repeat_test() { echo a; }; repeat_test',
    'echo "a\\nb" > notes.txt',
    'test "$x" -eq 1 && [ -f a ] && [[ -n $y ]]',
    'let i++',
    'set -euo pipefail; cd src && ls',
    'find . -name "*.ts" | xargs -0 grep -l foo',
    'env FOO=1 BAR=2 node a.js',
    "fish -c 'ls | head -3'",
    'make 2> >(grep -v warning >&2)',
    'npm test > >(tee out.log)',
    'coproc cat; echo a',
    'paths=(src test); ls "${paths[@]}"; for p in $paths; do ls $p; done',
    'exec 2>&1; ls',
    'print -l a b',
    'zsh -c "ls -l && pwd"',
    'cat <<EOF\nhello $USER, it is `date`\nEOF',
    'echo "costs $5 (or more)"',
    '{ echo a; echo b; } | sort',
    'time (make all)',
    'f() { local x=$1; echo "$x"; }; f a; f b',
    'fib() { [ $1 -le 1 ] && echo 1 || echo $(( $(fib $(($1-1))) + 1 )); }; fib 5',
  ])('%s', (line) => {
    expect([line, gaps(line)]).toEqual([line, []])
  })
})
