import { join } from 'node:path'

/** The places of configuration, by layer; the stronger first. A project's own is under its root. */
export interface ConfigLocations {
  /** Written by an administrator; no other layer may weaken it. */
  readonly managed: string
  readonly user: string
}

/** Folders of the managed and the user layer (XDG base directories; `SALLYPORT_CONFIG_HOME` moves the user's). */
export const configLocations = (
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: NodeJS.Platform,
): ConfigLocations => ({
  managed:
    platform === 'darwin'
      ? '/Library/Application Support/Sallyport'
      : platform === 'win32'
        ? 'C:\\Program Files\\Sallyport'
        : '/etc/sallyport',
  user: env['SALLYPORT_CONFIG_HOME'] ?? join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'sallyport'),
})

/** The configuration file of a layer's folder. */
export const CONFIG_FILE = 'sallyport.yaml'
