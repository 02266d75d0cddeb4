import type { Target } from '../../../protocol/evidence.ts'
import { type Field, visible } from '../values/field.ts'
import { isDry } from './cloud-resource.ts'
import type { Call, CommandRow } from '../engine/call.ts'
import { lossOf } from './loss.ts'
import { words } from '../values/words.ts'
import { secretSent } from '../engine/secret-sent.ts'

/** Verbs of copying, and those that delete the source or the rest of the target. */
const COPIES = /^(?:cp|copy|put|sync|mirror|mv|move|upload|upload-file|upload-unencrypted|pipe|file|post|st_upload)$/
const REMOVES = /^(?:rm|rb|del|delete|remove|delete-file-version|delete-bucket|undo|post-delete|abortmp|purge)$/

/** A place of this machine: a path in that form, or an existing one. */
const isLocal = (call: Call, field: Field): boolean => {
  const text = visible(field)
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) return false
  return (
    /^(?:\/|~|\.{1,2}(?:\/|$))/.test(text) || call.paths([field], 'content').some(({ path }) => isThere(call, path))
  )
}

const isThere = (call: Call, path: string): boolean =>
  call.engine.scratch.files.has(path) || call.engine.paths.world.pathKind(path) !== 'missing'

const store = (call: Call): void => {
  const texts = call.options.operands.map(visible)
  const at = texts.findIndex((word) => COPIES.test(word) || REMOVES.test(word))
  const verb = texts[at] ?? ''
  if (at < 0 || at > 2 || isDry(call)) return
  const places = call.options.operands
    .slice(at + 1)
    .filter((field) => !/^(?:upload|download|file)$/.test(visible(field)))
  const target: Target = { type: 'resource', name: [call.name, verb, ...places.slice(-1).map(visible)].join(' ') }
  if (REMOVES.test(verb)) {
    const tree =
      call.options.has('-r', '--recursive', '--force', '-f') || places.some((field) => /\*/.test(visible(field)))
    call.emit('cloud.destroy', [target], { traits: lossOf(call, verb === 'rb' || verb === 'delete-bucket' || tree) })
    return
  }
  const last = places.at(-1)
  // `b2 file upload BUCKET FILE NAME` names the store first.
  const sources: readonly Field[] =
    last !== undefined &&
    isLocal(call, last) &&
    places.length > 1 &&
    !/^[a-z]+:/.test(visible(last)) &&
    !/^(?:b2|swift)$/.test(call.name)
      ? []
      : places.filter(
          (field) =>
            isLocal(call, field) ||
            call.paths([field], 'content').some(({ zone }) => zone === 'dotenv' || zone === 'credential'),
        )
  if (sources.length > 0) call.send([target], call.read(sources))
  else if (verb === 'pipe' && call.stdin) call.send([target], call.stdin)
  else if (last !== undefined && isLocal(call, last)) call.write([last], undefined)
  if (call.options.has('--remove', '--delete-removed', '--delete-destination', '--delete'))
    call.emit('cloud.destroy', [target], { traits: lossOf(call, false) })
}

/** Command lines of object stores other than those of the large clouds. */
export const OBJECT_STORE_COMMANDS: readonly CommandRow[] = [
  {
    names: words('mc mcli s3cmd s4cmd s5cmd b2 azcopy ossutil obsutil coscli swift-client storj uplink'),
    values: words('-c --config --access_key --secret_key --region --endpoint-url --profile --exclude --include'),
    run: store,
    examples: [
      ['mc cp ./dist/a.js play/site/', 'fs.read@workspace', 'net.send'],
      ['mc cp .env play/site/', ...secretSent('dotenv')],
      ['mc mirror ~/ play/home', 'fs.read@home', 'secret.read+recursive@guard', 'net.send+all'],
      ['mc rm --recursive --force prod/logs', 'cloud.destroy+all'],
      ['mc rm --recursive --force play/test-bucket', 'cloud.destroy'],
      ['mc ls play'],
      ['s3cmd put .env s3://b/', ...secretSent('dotenv')],
      ['s3cmd get s3://b/a.txt ./a.txt'],
      ['s5cmd rm s3://prod/*', 'cloud.destroy+all'],
      ['b2 file upload b .env x', ...secretSent('dotenv')],
      ['azcopy copy .env https://a.blob.core.windows.net/c', ...secretSent('dotenv')],
      ['azcopy copy https://a.blob.core.windows.net/c/a.txt ./a.txt', 'fs.write@workspace'],
    ],
  },
]
