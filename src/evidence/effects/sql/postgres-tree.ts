import type { SqlAct } from './sql-act.ts'

type Node = Readonly<Record<string, unknown>>
type Act = Omit<SqlAct, 'start' | 'end'>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const constantOf = (node: unknown): string | number | boolean | undefined => {
  const constant = isNode(node) ? node['A_Const'] : undefined
  if (!isNode(constant)) return undefined
  if ('boolval' in constant) return isNode(constant['boolval']) && constant['boolval']['boolval'] === true
  if (isNode(constant['ival'])) return typeof constant['ival']['ival'] === 'number' ? constant['ival']['ival'] : 0
  return isNode(constant['sval']) ? (textOf(constant['sval']['sval']) ?? '') : undefined
}

const operatorOf = (expression: Node): string | undefined => {
  const [first] = Array.isArray(expression['name']) ? (expression['name'] as readonly unknown[]) : []
  return isNode(first) && isNode(first['String']) ? textOf(first['String']['sval']) : undefined
}

const columnOf = (node: unknown): string | undefined =>
  isNode(node) && isNode(node['ColumnRef']) ? JSON.stringify(node['ColumnRef']['fields']) : undefined

const comparesTrue = (expression: Node): boolean => {
  const { lexpr, rexpr } = expression
  const operator = operatorOf(expression)
  if (operator === '~~' && /^%+$/.test(String(constantOf(rexpr)))) return true
  const column = columnOf(lexpr)
  if (column !== undefined) return operator === '=' && column === columnOf(rexpr)
  const [left, right] = [constantOf(lexpr), constantOf(rexpr)]
  if (left === undefined || right === undefined) return false
  return operator === '=' ? left === right : operator === '<>' ? left !== right : false
}

/** Whether a condition is true for every row, as far as its constants show. */
const isTrue = (node: unknown, level = 0): boolean => {
  if (!isNode(node) || level > 32) return false
  const constant = constantOf(node)
  if (constant !== undefined) return constant === true
  if (isNode(node['A_Expr'])) return comparesTrue(node['A_Expr'])
  const logic = node['BoolExpr']
  if (!isNode(logic)) return false
  const args = Array.isArray(logic['args']) ? (logic['args'] as readonly unknown[]) : []
  if (logic['boolop'] === 'OR_EXPR') return args.some((arg) => isTrue(arg, level + 1))
  if (logic['boolop'] === 'AND_EXPR') return args.every((arg) => isTrue(arg, level + 1))
  return constantOf(args[0]) === false
}

const rowAct =
  (verb: 'delete' | 'update') =>
  (node: Node): Act => {
    if (node['whereClause'] === undefined) return { act: 'destroy', type: `${verb}-all` }
    return isTrue(node['whereClause']) ? { act: 'destroy', type: `${verb}-always-true` } : { act: 'change', type: verb }
  }

/** Things whose removal loses no data. */
const CHEAP = /^OBJECT_(?:TRIGGER|RULE|POLICY|STATISTIC_EXT|EVENT_TRIGGER|OPERATOR|CAST|COLLATION|AGGREGATE)$/

const copyAct = (node: Node): Act | undefined => {
  const subject = textOf(node['filename'])
  if (node['is_program'] === true)
    return { act: 'run', type: 'copy-program', ...(subject === undefined ? {} : { subject }) }
  if (node['is_from'] === true && subject === undefined) return { act: 'change', type: 'load' }
  if (subject === undefined) return undefined
  return { act: node['is_from'] === true ? 'read-file' : 'write-file', type: 'copy-file', subject }
}

const always = (act: SqlAct['act'], type: string) => (): Act => ({ act, type })

const DROPS = /"subtype":"AT_(?:DropColumn|DropConstraint|DetachPartition)"/

/** A branch of a merge that deletes all matches, without a condition of its own. */
const DELETES_MATCHED = /"MergeWhenClause":\{(?:"matchKind":"\w+",)?"commandType":"CMD_DELETE",(?:"override":"\w+")?\}/

/** What a node of the parse tree does. */
const NODES: Readonly<Record<string, (node: Node) => Act | undefined>> = {
  DeleteStmt: rowAct('delete'),
  UpdateStmt: rowAct('update'),
  InsertStmt: always('change', 'insert'),
  MergeStmt: ({ mergeWhenClauses }) =>
    DELETES_MATCHED.test(JSON.stringify(mergeWhenClauses ?? []))
      ? { act: 'destroy', type: 'merge-delete' }
      : { act: 'change', type: 'insert' },
  DropStmt: ({ removeType }) =>
    CHEAP.test(String(removeType)) ? { act: 'change', type: 'drop-other' } : { act: 'destroy', type: 'drop' },
  DropdbStmt: always('destroy', 'drop'),
  DropTableSpaceStmt: always('destroy', 'drop'),
  DropOwnedStmt: always('destroy', 'drop'),
  DropRoleStmt: always('destroy', 'drop-user'),
  TruncateStmt: always('destroy', 'truncate'),
  AlterTableStmt: ({ cmds }) =>
    DROPS.test(JSON.stringify(cmds ?? [])) ? { act: 'destroy', type: 'alter-drop' } : { act: 'change', type: 'define' },
  GrantStmt: always('privilege', 'grant'),
  GrantRoleStmt: always('privilege', 'grant'),
  AlterDefaultPrivilegesStmt: always('privilege', 'alter-rights'),
  AlterOwnerStmt: always('privilege', 'alter-rights'),
  AlterRoleStmt: always('privilege', 'alter-user'),
  AlterRoleSetStmt: always('privilege', 'alter-user'),
  CreateRoleStmt: always('privilege', 'create-user'),
  ReassignOwnedStmt: always('privilege', 'reassign-owned'),
  AlterSystemStmt: always('change', 'alter-system'),
  CopyStmt: copyAct,
  IntoClause: always('change', 'select-into'),
}

const DEFINES = /^(?:Create|Alter|Rename|Comment|IndexStmt|ViewStmt|Define|SecLabel|ImportForeign|Refresh|Reindex)/

const actOf = (name: string, node: Node): Act | undefined => {
  const row = Object.hasOwn(NODES, name) ? NODES[name] : undefined
  if (row !== undefined) return row(node)
  return DEFINES.test(name) && name.endsWith('Stmt') ? { act: 'change', type: 'define' } : undefined
}

/** An `explain` that does not run what it explains. */
const isOnlyExplained = (node: Node): boolean => !/"defname":"analyze"/.test(JSON.stringify(node['options'] ?? ''))

/** Every act in one statement's tree, however deep. */
const actsIn = (statement: unknown): readonly Act[] => {
  const acts: Act[] = []
  const open: unknown[] = [statement]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...(value as readonly unknown[]))
    if (!isNode(value)) continue
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'ExplainStmt' && isNode(inner) && isOnlyExplained(inner)) continue
      const found = isNode(inner) ? actOf(name, inner) : undefined
      if (found !== undefined) acts.push(found)
      if (inner !== null && typeof inner === 'object') open.push(inner)
    }
  }
  return acts
}

/** The acts of one statement of a PostgreSQL parse tree, and its position in bytes of UTF-8. */
interface TreeStatement {
  readonly acts: readonly Act[]
  readonly startByte: number
  /** Zero when the statement reaches to the end. */
  readonly bytes: number
}

/** The statements of a tree of `libpg-query`. Functions are analysed by their tokens instead. */
export const readTree = (tree: unknown): readonly TreeStatement[] => {
  const statements = isNode(tree) && Array.isArray(tree['stmts']) ? (tree['stmts'] as readonly unknown[]) : []
  return statements.filter(isNode).map((statement) => ({
    acts: actsIn(statement['stmt']),
    startByte: typeof statement['stmt_location'] === 'number' ? statement['stmt_location'] : 0,
    bytes: typeof statement['stmt_len'] === 'number' ? statement['stmt_len'] : 0,
  }))
}
