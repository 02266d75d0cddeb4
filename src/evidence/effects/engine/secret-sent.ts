/** What examples expect of a command that reads a secret file and sends it. */
export const secretSent = (what: 'credential' | 'dotenv'): readonly string[] => [
  `fs.read@${what}`,
  `secret.read@${what}`,
  'net.send',
  `secret.send@${what}`,
]
