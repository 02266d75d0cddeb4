import type { EffectKind } from '../../../protocol/evidence.ts'
import { namesThrowAway } from '../values/throw-away.ts'
import type { CodeContext } from '../engine/frame.ts'

/** Imports a library. */
const IMPORTS = /\b(?:import|from|require|use|load|gem|new|__import__)\b/

/** Client libraries of databases, clouds, code hosts and payment services. */
const CLIENT =
  /(?:\b|_)(?:boto|botocore|aioboto|aws-sdk|google[./-]cloud|googleapi|azure|kubernetes|octokit|Octokit|github|gitlab|cloudflare|digitalocean|pydo|hcloud|linode|heroku|stripe|braintree|paypal|docker|openstack|libcloud|proxmoxer|firebase|supabase|hvac|consul|psycopg|asyncpg|pg|postgres|mysql|MySQLdb|pymysql|mariadb|pymongo|motor|mongo|redis|ioredis|sqlalchemy|sqlmodel|peewee|django|sequelize|typeorm|prisma|knex|mssql|tedious|elasticsearch|opensearch|meilisearch|cassandra|neo4j|etcd|clickhouse|snowflake|pyodbc|cx_Oracle|oracledb|Sequel|sequel|active_record|DBI|PDO|influxdb|kafka|minio|qdrant|pinecone)/

/** Data on this machine or for a test can be recreated. */
const HERE =
  /\b(?:localhost|127\.0\.0\.1|localstack|host\.docker\.internal|mongomock|fakeredis|mock_aws)\b|\[::1\]|:memory:|["'][\w./-]{0,80}\.(?:sqlite3?|db)["']/

const OF_DATABASE =
  /["'`]\s{0,8}(?:drop\s{1,8}(?:table|schema|database|keyspace|view|role|user)|truncate)\b|["'`]\s{0,8}delete\s{1,8}from\s{1,8}[\w."]{1,80}\s{0,8};?\s{0,8}["'`]|\.drop_?(?:all|database|collection|table|schema|keyspace)\b|\.flush_?(?:all|db)\b|\.delete_?many\(\s{0,8}(?:\{\s{0,8}\})?\s{0,8}\)|\.truncate\(|\bsync\(\{\s{0,8}force:\s{0,8}true|\btruncate:\s{0,8}true/i

/** A removal with its object in its name, or of the result of a call: the object, its selection, and the arguments. */
const OF_CLOUD =
  /\.(?:delete|terminate|destroy|purge)([A-Z_][A-Za-z_]{1,40})\s?\(([^)]{0,200})|\b(?:Delete|Terminate|Destroy|Purge)([A-Z][A-Za-z]{2,40})Command\s?\(([^)]{0,200})|\b(repos|projects|instances|buckets|zones|servers|droplets|volumes|clusters|apps|orgs|versions|objects|organizations|databases|indices|indexes|collections|topics|queues|secrets|tables|namespaces|stacks|snapshots|sites)\.(?:delete|terminate|destroy)\s?\(([^)]{0,200})|\b(\w{1,40})\(([^()]{0,120})\)\.(?:delete|terminate|destroy)(?:!|\s?\(\s?\))|\.([bB]ucket|[tT]able|[iI]nstance|[sS]erver|[dD]roplet|[vV]olume|[pP]roject|[cC]luster|[dD]ataset|[dD]atabase|[tT]opic|[qQ]ueue|[sS]tack|get_repo)\(([^()]{0,120})\)\.(?:delete|terminate|destroy)\b/g

/** Single things, and selections. */
const SMALL =
  /^_?(?:object|item|message|tags?|comment|label|file|row|record|cookie|one|entry|event|attribute|document|doc|point|key|filter\w*|where|get|eq|find\w*|filter_?by|in_)$/i

const OTHERS: Readonly<Partial<Record<EffectKind, RegExp>>> = {
  'money.move':
    /\b(?:refunds?|payouts?|transfers?|charges?|payment_?intents?|topups?|invoices?)\.(?:create|pay|capture)\s?\(/i,
  'access.grant':
    /\.(?:attach_(?:user|role|group)_policy|put_(?:bucket|object)_(?:acl|policy)|put_(?:user|role)_policy|create_access_key|create_login_profile|add_user_to_group|authorize_security_group_ingress|add_?[cC]ollaborator|add_to_collaborators|set_iam_policy)\s?\(|\b(?:Attach(?:User|Role|Group)Policy|Put(?:Bucket|Object)(?:Acl|Policy)|CreateAccessKey)Command\b/,
  'secret.read':
    /\.(?:get_secret_value|batch_get_secret_value|access_secret_version|read_secret_version|read_namespaced_secret|list_namespaced_secret)\s?\(|\bWithDecryption\s{0,3}[=:]\s{0,3}[Tt]rue\b|\bGetSecretValueCommand\b/,
}

/** Emits what inline code does with the libraries of services: the same acts as those of their command-line clients. */
export const emitClientCalls = (text: string, { frame, place, by }: CodeContext): void => {
  if (place.onDisk === true || !IMPORTS.test(text) || !CLIENT.test(text) || HERE.test(text)) return
  const target = { by, targets: [{ type: 'resource' as const, name: `${by} client` }] }
  if (OF_DATABASE.test(text)) frame.engine.emit({ kind: 'db.destroy', ...target }, place)
  const lost = [...text.matchAll(OF_CLOUD)].map((match) => match.slice(1).filter((part) => part !== undefined))
  if (lost.some(([what = '', given = '']) => !SMALL.test(what) && !namesThrowAway(given)))
    frame.engine.emit({ kind: 'cloud.destroy', ...target, traits: ['all'] }, place)
  for (const [kind, act] of Object.entries(OTHERS) as readonly (readonly [EffectKind, RegExp])[])
    if (act.test(text))
      frame.engine.emit({ kind, ...target, ...(kind === 'access.grant' ? { traits: ['all'] } : {}) }, place)
}
