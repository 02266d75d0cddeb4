import { visible } from '../shell/field.ts'
import type { CommandRow, Example } from './command.ts'

/** A program that lets others reach a port of this machine, and by which arguments, joined. */
interface TunnelRow {
  readonly names: readonly string[]
  readonly opens: RegExp
  readonly examples: readonly Example[]
}

const ROWS: readonly TunnelRow[] = [
  {
    names: ['ngrok'],
    opens: /^(?:-\S+ )*(?:http|tcp|tls|start|tunnel)\b/,
    examples: [['ngrok http 3000', 'net.listen+public'], ['ngrok version']],
  },
  {
    names: ['lt', 'localtunnel'],
    opens: /(?:^|\s)(?:-p|--port)\b/,
    examples: [['lt --port 3000', 'net.listen+public'], ['lt --version']],
  },
  { names: ['bore'], opens: /^local\b/, examples: [['bore local 3000 --to e.example', 'net.listen+public']] },
  {
    names: ['zrok'],
    opens: /^share (?:public|reserved)\b/,
    examples: [['zrok share public 3000', 'net.listen+public'], ['zrok status']],
  },
  { names: ['devtunnel'], opens: /^host\b/, examples: [['devtunnel host -p 3000', 'net.listen+public']] },
  {
    names: ['tailscale'],
    opens: /^funnel (?!status\b|reset\b|.*\boff$)/,
    examples: [['tailscale funnel 3000', 'net.listen+public'], ['tailscale status']],
  },
  {
    names: ['frpc', 'rathole', 'pagekite', 'pagekite.py'],
    opens: /^(?!verify\b|.*(?:-v|--version|-h|--help)$)/,
    examples: [['frpc -c frpc.ini', 'net.listen+public']],
  },
  {
    names: ['chisel'],
    opens: /^client\b.* R:/,
    examples: [['chisel client e.example R:8080:localhost:80', 'net.listen+public'], ['chisel client e.example 80']],
  },
]

/** Programs that open a way in from outside. */
export const TUNNEL_COMMANDS: readonly CommandRow[] = ROWS.map(({ names, opens, examples }) => ({
  names,
  run: (call) => {
    if (opens.test(call.args.map(visible).join(' '))) call.emit('net.listen', [], { traits: ['public'] })
  },
  examples,
}))
