import type { RunnerRow } from './runner.ts'

const ROOT = 'fs.delete+recursive+force@root'

/** Terminals, multiplexers and desktops, which start programs in windows of their own. */
export const TERMINALS: readonly RunnerRow[] = [
  {
    names: 'kitty kitten',
    values: '--listen-on --to -c --config -o --override --title -T --cwd -d --type --match -m --env',
    stopAtOperand: true,
    lines: [['argv', '@ launch …, !@|+kitten|+open …']],
    examples: [
      ['kitty @ launch rm -rf /', ROOT],
      ['kitty @ launch --type=tab rm -rf /', ROOT],
      ['kitty rm -rf /', ROOT],
      ['kitty @ ls'],
    ],
  },
  {
    names: `wezterm alacritty foot footclient ghostty rio st urxvt rxvt xterm uxterm lxterm konsole gnome-terminal
        gnome-terminal-server xfce4-terminal mate-terminal lxterminal terminator tilix terminology eterm aterm
        mlterm cool-retro-term x-terminal-emulator sakura guake yakuake tilda kgx ptyxis mintty wt hyper contour
        warp-terminal`,
    values: '--cwd --class -T --title --working-directory -o --option --config-file -fn -geometry --pane-id -n',
    dash: 'single',
    stopAtOperand: true,
    lines: [
      ['argv', 'cli spawn|split-pane …, start …, -e|-x|--execute|--command|-ex…, --'],
      ['shell', '--command'],
    ],
    examples: [
      ['wezterm cli spawn -- rm -rf /', ROOT],
      ['wezterm start -- rm -rf /', ROOT],
      ['gnome-terminal -- rm -rf /', ROOT],
      ['alacritty -e rm -rf /', ROOT],
      ["gnome-terminal --command='ls /'", 'fs.list@root'],
      ['konsole -e rm -rf /', ROOT],
      ['foot -e rm -rf /', ROOT],
      ['wezterm ls-fonts'],
    ],
  },
  {
    names: 'tmux byobu',
    values: '-f -L -S -c',
    lines: [
      ['shell', '-c'],
      ['file tmux', '-f, source-file|source .'],
      ['tmux', 'set-hook|bind-key|bind|set-option|set +'],
      ['shell', 'run-shell|run|if-shell|if|pipe-pane|pipep|display-popup|popup +'],
    ],
    examples: [
      ["tmux run-shell 'rm -rf /'", ROOT],
      ["tmux if-shell 'rm -rf /' true", ROOT],
      ['tmux set-hook -g after-new-window \'run-shell "rm -rf /"\'', ROOT],
      ['tmux -f x.conf new', 'exec.run+script@workspace'],
      ['tmux ls'],
    ],
  },
  {
    names: 'screen',
    values: '-S -c -e -h -p -s -t -T -L -r -x -X -Logfile',
    stopAtOperand: true,
    lines: [
      ['file screenrc', '-c'],
      ['line', 'exec …'],
      ['shell', '-s'],
    ],
    examples: [['screen -c x.rc', 'exec.run+script@workspace']],
  },
  {
    names: 'zellij mprocs abduco reptyr shpool dvtm',
    values: '-l --layout -s --session -c --config --cwd -n --name -d',
    stopAtOperand: true,
    lines: [
      ['argv', 'r --, run …'],
      ['shell', '!run|r|action|attach|a +'],
    ],
    unless: ['-a', '-l', '--layout'],
    examples: [
      ['zellij run -- rm -rf /', ROOT, 'exec.run?+script@root'],
      ["mprocs 'rm -rf /'", ROOT],
      ['zellij list-sessions'],
    ],
  },
  {
    names: `xdg-open gio gtk-launch kioclient exo-open dex kstart kstart5 dmenu_run rofi sway swaymsg i3-msg hyprctl bspc
        qtile awesome-client wmctrl xdotool ydotool openbox xbindkeys sxhkd notify-send zenity yad dunstify niri
        riverctl herbstclient leftwm-command`,
    values: '-c -s -t --action -e',
    stopAtOperand: true,
    lines: [
      ['line', 'exec|spawn …, msg action spawn|spawn-sh …, dispatch exec|execr …'],
      ['argv', 'action spawn --'],
      ['other', '-e'],
    ],
    when: /exec|spawn|awesome|^-e$/,
    examples: [
      ["swaymsg exec 'rm -rf /'", ROOT],
      ['i3-msg exec rm -rf /', ROOT],
      ['hyprctl dispatch exec rm -rf /', ROOT],
      ['swaymsg exit'],
    ],
  },
]
