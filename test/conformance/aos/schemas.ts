import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import formats from 'ajv-formats'

const FOLDER = join(process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../../../shared'), 'specs/aos')

/** A message of the standard's own pages, repaired. */
export interface Example {
  readonly name: string
  /** Definition of the schema that it is an instance of. */
  readonly def: string
  readonly message: Readonly<Record<string, unknown>>
}

/** The schema as OWASP published it, and the same with what contradicts the standard's text and examples repaired. */
export type SchemaName = 'published' | 'effective'

/** What lies beside the checkout: schemas and examples, which are read where they are. */
export interface Beside {
  /** What is wrong with a message, by a definition of a schema; `undefined`: nothing. */
  readonly faultOf: (schema: SchemaName, def: 'ASOPRequest' | 'ASOPResponse', message: unknown) => string | undefined
  readonly examples: readonly Example[]
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as unknown

const FILES: { readonly [S in SchemaName]: string } = {
  published: 'aos_schema.json',
  effective: 'aos_schema.effective.json',
}

/** Opens it; `undefined`, and a line on standard error, when it is not there. */
export const openBeside = (): Beside | undefined => {
  if (!existsSync(FOLDER)) {
    process.stderr.write(`SKIPPED: no schemas and examples of AOS at ${FOLDER}\n`)
    return undefined
  }
  const ajv = new Ajv({ strict: false, allErrors: false })
  formats.default(ajv)
  for (const name of ['published', 'effective'] as const) ajv.addSchema(read(FILES[name]) as object, name)
  const compiled = new Map<string, ValidateFunction>()
  const validator = (ref: string): ValidateFunction => {
    const known = compiled.get(ref) ?? ajv.compile({ $ref: ref })
    compiled.set(ref, known)
    return known
  }
  const index = read('examples/INDEX.json') as readonly { readonly name: string; readonly def: string }[]
  const files = new Set(readdirSync(join(FOLDER, 'examples')))
  return {
    faultOf(schema, def, message) {
      const validate = validator(`${schema}#/$defs/${def}`)
      return validate(message) ? undefined : ajv.errorsText(validate.errors)
    },
    examples: index
      .filter(({ name }) => files.has(`${name}.json`))
      .map(({ name, def }) => ({ name, def, message: read(`examples/${name}.json`) as Example['message'] })),
  }
}
