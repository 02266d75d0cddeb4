import type { SideEffectClass } from '../../../src/protocol/evidence.ts'
import { SIDE_EFFECT_CLASSES } from '../../../src/protocol/evidence.ts'
import type { ToolDefinition } from '../../../src/protocol/step.ts'
import { judgeTool } from '../../../src/evidence/effects/tools/tool-class.ts'
import { share } from '../tally.ts'
import { type Definitions, readDefinitions } from './cache.ts'
import { type LabelSet, type LabelledTool, labelsOf } from './labels.ts'
import { SERVERS, shortName } from './servers.ts'

type Figures = Record<string, number>

/** A labelled tool with its server's definition. */
interface KnownTool {
  readonly server: string
  readonly label: LabelledTool
  readonly definition: ToolDefinition
}

/** The part of a definition that the classifier sees. */
type View = (definition: ToolDefinition) => ToolDefinition | undefined

const described = ({ description }: ToolDefinition): ToolDefinition =>
  description === undefined ? {} : { description }

const withoutHints = ({ inputSchema, ...rest }: ToolDefinition): ToolDefinition => ({
  ...described(rest),
  ...(inputSchema === undefined ? {} : { inputSchema }),
})

/** Names of the views in figures; the whole definition has none. */
const VIEWS: Readonly<Record<string, View>> = {
  '': (definition) => definition,
  _no_annotations: withoutHints,
  _name_and_description: described,
  _name: () => undefined,
  /** Every server swears that its tool only looks. */
  _lying: (definition) => ({ ...definition, annotations: { readOnlyHint: true, destructiveHint: false } }),
}

const NONE_CONFIGURED: ReadonlyMap<string, SideEffectClass> = new Map()

const toolsOf = (server: string, labels: readonly LabelledTool[], known: Definitions): readonly KnownTool[] =>
  labels.flatMap((label) => {
    const tool = known.tools.find(({ name }) => name === label.name)
    if (tool === undefined) return []
    const { description, inputSchema, annotations } = tool
    const definition = {
      ...(description === undefined ? {} : { description }),
      ...(inputSchema === undefined ? {} : { inputSchema }),
      ...(annotations === undefined ? {} : { annotations }),
    } as ToolDefinition
    return [{ server, label, definition }]
  })

/** The labelled tools of a set whose definitions are in the cache; the servers that are not there are named. */
const knownTools = (set: LabelSet): readonly KnownTool[] => {
  const labels = labelsOf(set)
  const missing: string[] = []
  const tools = SERVERS.flatMap((pin) => {
    const of = labels.get(`${pin.name}@${pin.version}`)
    if (of === undefined) return []
    const known = readDefinitions(pin)
    if (known === undefined) missing.push(pin.name)
    return known === undefined ? [] : toolsOf(shortName(pin.name), of, known)
  })
  if (missing.length > 0)
    console.error(
      `NOT MEASURED: tools of ${missing.length} servers (${set}) are not there, of ${missing[0]} among others. Run npm run collect-tools.`,
    )
  return tools
}

const judged = ({ server, label, definition }: KnownTool, view: View) => {
  const shown = view(definition)
  return judgeTool(
    { name: `mcp__${server}__${label.name}`, server, ...(shown === undefined ? {} : { definition: shown }) },
    NONE_CONFIGURED,
  )
}

const measureView = (lead: string, tools: readonly KnownTool[], view: View, list: (line: string) => void): Figures => {
  const counts = { reads: 0, others: 0, hole: 0, nuisance: 0, right: 0, deletes: 0, deletesSeen: 0 }
  for (const tool of tools) {
    const { classes, deletes, name } = tool.label
    const { sideEffect, doing } = judged(tool, view)
    const reads = classes.includes('read_only')
    const right = classes.includes(sideEffect)
    counts[reads ? 'reads' : 'others']++
    if (right) counts.right++
    if (reads && !right) counts.nuisance++
    if (!reads && sideEffect === 'read_only') counts.hole++
    if (deletes) counts.deletes++
    if (deletes && doing === 'remove') counts.deletesSeen++
    if (!right) {
      const what = reads ? 'NUISANCE' : sideEffect === 'read_only' ? 'HOLE' : 'class'
      list(`${lead} ${what} ${tool.server} ${name}: ${sideEffect}, not ${classes.join(' or ')}`)
    }
  }
  return {
    [`${lead}.hole`]: share(counts.hole, counts.others),
    [`${lead}.nuisance`]: share(counts.nuisance, counts.reads),
    [`${lead}.right`]: share(counts.right, tools.length),
    [`${lead}.deletes_seen`]: share(counts.deletesSeen, counts.deletes),
  }
}

/** Rows are what tools are (the first class of the label), columns what they were judged to be. */
const listConfusion = (lead: string, tools: readonly KnownTool[], list: (line: string) => void): void => {
  list(`${lead} confusion, judged as: ${SIDE_EFFECT_CLASSES.join(' ')}`)
  for (const expected of SIDE_EFFECT_CLASSES) {
    const mine = tools.filter(({ label }) => label.classes[0] === expected)
    const row = SIDE_EFFECT_CLASSES.map(
      (answer) =>
        mine.filter((tool) => {
          const { sideEffect } = judged(tool, (definition) => definition)
          // An answer that is right as well counts as the first.
          return (tool.label.classes.includes(sideEffect) ? expected : sideEffect) === answer
        }).length,
    )
    list(`${lead} ${expected}: ${row.join(' ')}`)
  }
}

/**
 * Measures the classification of unknown tools on definitions collected from the registry's servers: `hole` is the
 * share of acting tools classified as reads, `nuisance` the share of reads classified as anything else.
 */
export const measureTools = (list: (line: string) => void): Figures => {
  const figures: Figures = {}
  for (const set of ['development', 'held-out', 'later'] as const) {
    const tools = knownTools(set)
    if (tools.length === 0) continue
    const lead = `tools_${set.replace('-', '_')}`
    figures[`${lead}.tools`] = tools.length
    for (const [name, view] of Object.entries(VIEWS))
      Object.assign(figures, measureView(`${lead}${name}`, tools, view, name === '' ? list : () => {}))
    listConfusion(lead, tools, list)
  }
  return figures
}
