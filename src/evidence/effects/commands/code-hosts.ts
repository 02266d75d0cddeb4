import type { Target } from '../../../protocol/evidence.ts'
import { literal, visible, visibleWords } from '../values/field.ts'
import { EMPTY, type Value, unknown, withFlow } from '../values/value.ts'
import type { Call, CommandRow } from '../engine/call.ts'
import { lossOf } from './loss.ts'
import { isOwnLogin } from './own-login.ts'
import { words } from '../values/words.ts'

const ref = (name: string): Target => ({ type: 'resource', name })

/** What of a code host is gone or shut once it is done. */
const DELETES =
  /^(?:repo (?:archive|rename)|[\w-]+ (?:delete|remove)|pr lock|repo deploy-key (?:delete)|project item-delete|codespace delete|mr delete|ci delete|cluster agent (?:delete))\b/

/** Of those, what others keep there and cannot be read back, or runs for them. */
const KEPT_ELSEWHERE =
  /^(?:secret|variable|ruleset|environment|codespace|deploy-key|ssh-key|gpg-key|release|gist|cluster) /

/** Paths of the API under which a repository, an organisation or a project lies. */
const WHOLE_PATH =
  /^\/?(?:repos\/[^/]+\/[^/]+(?:\/git\/refs\/heads\/(?:main|master|develop))?|(?:orgs|projects|groups|teams)\/[^/]+)\/?$/
/** Paths of what keeps a repository from being changed by one alone. */
const PROTECTION_PATH =
  /\/(?:protection|rulesets?|protected_branches|vulnerability-alerts|automated-security-fixes|push_rule)(?:\/|$)/
/** Fields that open a repository to everyone, or give somebody the right to change it. */
const OPENS =
  /^(?:visibility=public|private=false|permission=(?:admin|maintain|push)|role=(?:admin|owner)|access_level=[45]0)$/

/** Says what a command does to the way in, and reads the files that it takes as a text or as fields. */
const tellSettings = (call: Call, area: string, verb: string): readonly Value[] => {
  const all = visibleWords(call.args)
  const method = visibleWords(call.options.get('-X', '--method')).join()
  const open =
    (/^repo (?:edit|update)/.test(`${area} ${verb}`) && /--visibility[ =]public\b/.test(all.join(' '))) ||
    (area === 'repo' &&
      verb === 'create' &&
      call.options.has('--public') &&
      call.options.has('--push', '--source', '-s')) ||
    (area === 'api' && all.some((word) => OPENS.test(word.replace(/^-[fF]/, '')))) ||
    /^ssh-key add|^deploy-key add/.test(`${area} ${verb}`) ||
    (area === 'gist' && verb === 'create' && call.options.has('--public', '-p')) ||
    (area === 'api' &&
      /\/(?:keys|deploy_keys|invitations|collaborators\/[^/]+)$/.test(verb) &&
      (call.options.has('-f', '-F', '--field', '--raw-field', '--input') || /PUT|POST/.test(method)))
  if (open) call.emit('access.grant', [ref(`${call.name} ${area} ${verb}`)], { traits: ['all'] })
  if (area === 'api' && /^(?:DELETE|PUT|PATCH|POST)$/.test(method) && PROTECTION_PATH.test(verb))
    call.emit('protection.off', [ref(verb)])
  // Checks and reviews that the repository asks for are left out.
  if (/^(?:pr|mr) merge$/.test(`${area} ${verb}`) && call.options.has('--admin'))
    call.emit('protection.off', [ref(`${call.name} ${area} ${verb}`)])
  const fields = area === 'api' ? call.options.get('-f', '-F', '--field', '--raw-field') : []
  const attached = fields.flatMap((field) => /^[^=]*=@(.+)$/.exec(visible(field))?.[1] ?? [])
  const bodies = area === 'api' ? call.options.get('--input') : call.options.get('-F', '--body-file', '--notes-file')
  const named = bodies.filter((field) => visible(field) !== '-')
  return [...attached.map(literal), ...named].map((file) => call.read([file]))
}

/** Command lines of services that keep repositories. */
export const CODE_HOST_COMMANDS: readonly CommandRow[] = [
  {
    names: ['gh', 'glab'],
    values: words(`-R --repo -X --method -f -F --field --raw-field -H --input -t --title -b -m --message --body -d
      --desc -n --notes --body-file --notes-file`),
    run: (call) => {
      const [area, verb, ...rest] = visibleWords(call.options.operands)
      const sent = tellSettings(call, area ?? '', verb ?? '')
      const line = `${area} ${verb}`
      if (line.startsWith('completion')) return { ...unknown(), flow: { ...EMPTY.flow, settings: true } }
      if (area === 'auth' && (verb === 'token' || (verb === 'status' && call.options.has('-t', '--show-token')))) {
        if (!isOwnLogin('gh token', call.feeds)) call.emit('secret.read', [ref('gh token')])
        return unknown({ ...EMPTY.flow, secrets: [ref('gh token')] })
      }
      const whole = /^(?:repo (?:delete|archive|rename)|project delete|org delete|release delete)$/.test(line)
      if (whole || DELETES.test(line))
        call.emit('cloud.destroy', [ref(`github:${line} ${rest[0] ?? ''}`.trim())], {
          traits: whole ? ['all'] : lossOf(call, KEPT_ELSEWHERE.test(line)),
        })
      if (
        /^(?:secret|variable) (?:set|create|update)|^ssh-key add|^gpg-key add|^deploy-key add|^repo deploy-key/.test(
          line,
        )
      )
        call.emit('secret.write', [ref(`github:${line}`)])
      const sends =
        /^(?:gist create|snippet create|secret set|variable set|mr (?:create|note|update)|pr (?:create|comment|merge|edit|close|review)|issue (?:create|comment|edit|close)|release (?:create|upload)|repo (?:create|edit|sync|fork)|workflow (?:run|enable|disable))/.test(
          line,
        ) ||
        (area === 'api' &&
          (call.options.has('-f', '-F', '--field', '--raw-field', '--input') ||
            /POST|PUT|PATCH|DELETE/.test(visibleWords(call.options.get('-X', '--method')).join())))
      const host: Target = { type: 'host', host: call.name === 'gh' ? 'github.com:443' : 'gitlab.com:443' }
      const files = /^(?:gist create|release (?:upload|create)|snippet create)/.test(line)
        ? withFlow(
            call.read(
              call.options.operands
                .slice(/^(?:gist|snippet)/.test(line) ? 2 : 3)
                .filter((field) => visible(field) !== '-'),
            ),
            call.stdin?.flow ?? {},
          )
        : (call.stdin ?? EMPTY)
      if (sends)
        call.send(
          [host],
          call.options
            .get(
              '-f',
              '-F',
              '-b',
              '-m',
              '--message',
              '--body',
              '--field',
              '--raw-field',
              '-t',
              '--title',
              '-d',
              '--desc',
              '-n',
              '--notes',
            )
            .reduce<Value>(
              (all, one) => ({ ...all, flow: { ...all.flow, secrets: [...all.flow.secrets, ...one.flow.secrets] } }),
              sent.reduce<Value>((all, one) => withFlow(all, one.flow), files),
            ),
        )
      else if (area !== undefined) call.emit('net.fetch', [host])
      if (area === 'api' && /DELETE/.test(visibleWords(call.options.get('-X', '--method')).join()))
        call.emit('cloud.destroy', [ref(`github:${verb}`)], { traits: lossOf(call, WHOLE_PATH.test(verb ?? '')) })
      if (area === 'alias' && verb === 'set') call.emit('vcs.config', [ref('gh alias')])
      return undefined
    },
    examples: [
      ['gh pr list', 'net.fetch'],
      ['gh api repos/a/b', 'net.fetch'],
      ['gh api -X DELETE repos/a/b', 'net.send', 'cloud.destroy+all'],
      ['gh api -X DELETE repos/a/b/issues/comments/5', 'net.send', 'cloud.destroy'],
      ['gh api -X DELETE repos/a/b/branches/main/protection', 'protection.off', 'net.send', 'cloud.destroy'],
      ['gh repo edit --visibility public', 'access.grant+all', 'net.send'],
      ['gh repo edit --visibility private', 'net.send'],
      ['gh api -X PATCH repos/a/b -F private=false', 'access.grant+all', 'net.send'],
      ['gh issue create -t x -F .env', 'fs.read@dotenv', 'secret.read@dotenv', 'net.send', 'secret.send@dotenv'],
      ['gh issue create -t x -F notes.md', 'fs.read@workspace', 'net.send'],
      ['gh release list | xargs gh release delete', 'net.fetch', 'cloud.destroy+all', 'net.fetch'],
      ['gh repo delete a/b --yes', 'cloud.destroy+all', 'net.fetch'],
      ['gh ssh-key delete 1', 'cloud.destroy+all', 'net.fetch'],
      ['gh secret delete A', 'cloud.destroy+all', 'net.fetch'],
      ['gh run delete 5', 'cloud.destroy', 'net.fetch'],
      ['gh pr merge 1 --admin', 'protection.off', 'net.send'],
      ['gh secret set A', 'secret.write', 'net.send'],
      [
        'gh gist create ~/.ssh/id_rsa',
        'fs.read@credential',
        'secret.read@credential',
        'net.send',
        'secret.send@credential',
      ],
    ],
  },
]
