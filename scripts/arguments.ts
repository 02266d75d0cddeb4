/** Arguments of the scripts in this folder. */
import process from 'node:process'
import type { ParseArgsOptionsConfig } from 'node:util'
import { readArguments } from '../src/cli/io/arguments.ts'

/** Ends a script that was called in a wrong way: prints what is wrong, and how to call it. */
export const endWithUsage = (usage: string, fault: string): never => {
  console.error(`${fault}\n${usage}`)
  process.exit(2)
}

/** Reads the options of a script, and its operands if it takes any. `--help` prints the usage and ends it. */
export const scriptArguments = <const O extends ParseArgsOptionsConfig>(
  usage: string,
  options: O,
  mostOperands = 0,
): ReturnType<typeof readArguments<O>> => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    const read = readArguments(args, options)
    const extra = read.positionals[mostOperands]
    return extra === undefined ? read : endWithUsage(usage, `Unknown argument '${extra}'.`)
  } catch (error) {
    return endWithUsage(usage, `${String(error instanceof Error ? error.message : error).split('. ')[0]}.`)
  }
}
