import { join } from 'node:path'

/** Systems whose service manager an installation for the whole machine can use. */
export type SystemPlatform = 'linux' | 'darwin'

/** The places of an installation for the whole machine; absolute paths. */
export interface SystemLayout {
  /** User that the guard runs as. */
  readonly user: string
  /** Copy of the package: root's, as everything that the guard and its hooks execute. */
  readonly program: string
  /** What was made, JSON. */
  readonly receipt: string
  /** Command of the administrator, on this guard's data. */
  readonly command: string
  /** The managed layer of the configuration. */
  readonly config: string
  /** The layer below it: root's as well, so that no agent can write it. */
  readonly userConfig: string
  /** Environment of the service: whose agents are guarded. */
  readonly environment: string
  /** The guard's own folder, that others can only walk through. */
  readonly state: string
  /** Readable by the guard's user alone. */
  readonly data: string
  /** What hooks read: the token and the certificates, without their keys. */
  readonly hooks: string
  /** File of the service manager. */
  readonly unit: string
  /** Declares the guard's user; absent where the system has no such files. */
  readonly sysusers?: string
}

const LINUX_STATE = '/var/lib/sallyport'
const MAC_FOLDER = '/Library/Application Support/Sallyport'

const stateFolders = (state: string): Pick<SystemLayout, 'state' | 'data' | 'hooks'> => ({
  state,
  data: join(state, 'data'),
  hooks: join(state, 'hooks'),
})

const LAYOUTS: Readonly<Record<SystemPlatform, SystemLayout>> = {
  linux: {
    user: 'sallyport',
    program: '/usr/lib/sallyport',
    receipt: '/usr/lib/sallyport/system.json',
    command: '/usr/bin/sallyport-system',
    config: '/etc/sallyport',
    userConfig: '/etc/sallyport/user',
    environment: '/etc/sallyport/service.env',
    ...stateFolders(LINUX_STATE),
    unit: '/etc/systemd/system/sallyport.service',
    sysusers: '/usr/lib/sysusers.d/sallyport.conf',
  },
  darwin: {
    user: '_sallyport',
    program: `${MAC_FOLDER}/program`,
    receipt: `${MAC_FOLDER}/program/system.json`,
    command: `${MAC_FOLDER}/sallyport-system`,
    config: MAC_FOLDER,
    userConfig: `${MAC_FOLDER}/user`,
    environment: `${MAC_FOLDER}/service.env`,
    ...stateFolders(`${MAC_FOLDER}/state`),
    unit: '/Library/LaunchDaemons/dev.sallyport.guard.plist',
  },
}

/** The layout on a system. */
export const systemLayout = (platform: SystemPlatform): SystemLayout => LAYOUTS[platform]

/** The system, if an installation for the whole machine is known there. */
export const systemPlatform = (platform: string): SystemPlatform | undefined =>
  platform === 'linux' || platform === 'darwin' ? platform : undefined
