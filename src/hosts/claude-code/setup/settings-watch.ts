import { basename, dirname, join } from 'node:path'
import { dropOldest } from '../../../bounded/bounded-map.ts'
import { folderFindings } from '../../../integrity/folder-changes.ts'
import type { HostWatch, Watched, WatchedSession } from '../../../integrity/watched.ts'
import { isObject } from '../../../protocol/json.ts'
import type { Step } from '../../../protocol/step.ts'
import { inspectSettings } from './inspect-settings.ts'
import { managedFolder } from './places.ts'
import { repositoryFindings, repositoryServers } from './repository-settings.ts'
import { settingsChanges } from './settings-changes.ts'

/** What the watch needs of the machine. */
export interface WatchSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
}

/** Most rules stored as proposed by the client. */
const MAX_SUGGESTED = 2_000

/** The client's name for the folder with a project's conversations. */
const projectName = (folder: string): string => folder.replaceAll(/[^a-zA-Z0-9]/g, '-')

/**
 * The folder in which a session started: the nearest ancestor of its working directory that its transcript is named
 * after.
 */
const rootOf = ({ session: { cwd, transcript } }: Step): string | undefined => {
  if (cwd === undefined || transcript === undefined) return cwd
  const name = basename(dirname(transcript))
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (projectName(folder) === name) return folder
    if (dirname(folder) === folder) return cwd
  }
}

/** The client's configuration folder, from the path of the transcript. */
const configFolder = (transcript: string | undefined): string | undefined => {
  const projects = transcript === undefined ? undefined : dirname(dirname(transcript))
  return projects !== undefined && basename(projects) === 'projects' ? dirname(projects) : undefined
}

const ruleOf = (rule: unknown): string | undefined => {
  if (!isObject(rule) || typeof rule['toolName'] !== 'string') return undefined
  const { toolName, ruleContent } = rule
  return typeof ruleContent === 'string' ? `${toolName}(${ruleContent})` : toolName
}

/** Rules and folders that the client offers the person to allow from now on. */
const suggestedBy = (step: Step): readonly string[] => {
  if (step.kind !== 'permissionRequest' || !Array.isArray(step.payload.suggestions)) return []
  return (step.payload.suggestions as readonly unknown[]).flatMap((one): readonly string[] => {
    if (!isObject(one)) return []
    const rules = one['behavior'] === 'allow' && Array.isArray(one['rules']) ? (one['rules'] as readonly unknown[]) : []
    const folders = Array.isArray(one['directories']) ? (one['directories'] as readonly unknown[]) : []
    return [...rules.map(ruleOf), ...folders].filter((text) => typeof text === 'string')
  })
}

/** Watches the settings of Claude Code. */
export const createClaudeCodeWatch = (around: WatchSurroundings): HostWatch => {
  const suggested = new Set<string>()
  const managed = managedFolder({ ...around, home: '', cwd: '' })
  const judge: Watched['judge'] = (accepted, now) => settingsChanges(accepted, now, (rule) => suggested.has(rule))

  const settings = (level: string, baseline: Watched['baseline'], path: string): Watched => ({
    path,
    what: `The ${level} settings of Claude Code`,
    kind: 'file',
    baseline,
    judge,
    ...(baseline === 'session'
      ? { mustBeAccepted: (text) => repositoryFindings(text).holds.map(({ key }) => key) }
      : {}),
  })

  const userFiles = (
    session: WatchedSession,
    installed: readonly { readonly note: string; readonly path: string }[],
  ) => {
    const config = configFolder(session.transcript)
    const noted = installed.filter(({ note }) => note.startsWith('claude-code-user')).map(({ path }) => path)
    return [...new Set([...(config === undefined ? [] : [join(config, 'settings.json')]), ...noted])]
  }

  return Object.freeze<HostWatch>({
    host: 'claude-code',
    rootOf,
    files: (session, installed) => {
      const users = userFiles(session, installed)
      const inProject = [
        ['local', 'settings.local.json'],
        ['project', 'settings.json'],
      ] as const
      return [
        ...users.map((path) => settings('user', 'person', path)),
        ...inProject
          .map(([level, name]) => [level, join(session.root, '.claude', name)] as const)
          .filter(([, path]) => !users.includes(path))
          .map(([level, path]) => settings(level, 'session', path)),
        settings('managed', 'person', join(managed, 'managed-settings.json')),
        {
          path: join(managed, 'managed-settings.d'),
          what: 'The managed settings of Claude Code',
          kind: 'folder',
          baseline: 'person',
          judge: folderFindings,
        },
      ]
    },
    observe: (step) => {
      for (const rule of suggestedBy(step)) suggested.add(rule)
      dropOldest(suggested, MAX_SUGGESTED)
    },
    reloads: (step) => {
      if (step.kind !== 'notice' || step.payload.topic !== 'config-change') return undefined
      return isObject(step.payload.detail) && step.payload.detail['source'] === 'skills' ? 'other' : 'settings'
    },
    inspect: (session, read) => {
      const config = configFolder(session.transcript)
      const places = [
        { level: 'managed', path: join(managed, 'managed-settings.json') },
        { level: 'managed', path: join(managed, 'managed-settings.d', 'sallyport.json') },
        { level: 'local', path: join(session.root, '.claude', 'settings.local.json') },
        { level: 'project', path: join(session.root, '.claude', 'settings.json') },
        ...(config === undefined ? [] : [{ level: 'user', path: join(config, 'settings.json') } as const]),
      ] as const
      const { checks, files } = inspectSettings(
        places.map((place) => {
          const text = read(place.path)
          return text === undefined ? place : { ...place, text }
        }),
      )
      // Hooks of a plugin are in none of these files.
      if (files.length === 0) return []
      return checks.filter(({ status }) => status === 'fail').map(({ found }) => found)
    },
    brings: ({ root, transcript }, read) => {
      const config = configFolder(transcript)
      const files = ['settings.json', 'settings.local.json'].map((name) => join(root, '.claude', name))
      // The person's own settings are the project's where the home folder is the project.
      const personFiles = config === join(root, '.claude') ? [] : files
      return [
        ...personFiles.flatMap((path) => repositoryFindings(read(path)).programs),
        ...repositoryServers(read(join(root, '.mcp.json'))),
      ]
    },
  })
}
