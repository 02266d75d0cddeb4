import { literal, visible } from '../values/field.ts'
import type { CommandRow } from '../engine/call.ts'

/** Archives that are command lines of services, known under their own rows. */
const SERVICE_JAR = /^(jenkins-cli|liquibase|flyway)\b.*\.jar$/

/** Programs that come as an archive for the Java machine. */
export const JAVA_COMMANDS: readonly CommandRow[] = [
  {
    names: ['java', 'javaw'],
    values: ['-jar', '-cp', '-classpath', '--class-path', '-p', '--module-path', '-m', '--module'],
    dash: 'single',
    stopAtOperand: true,
    run: (call) => {
      const at = call.args.findIndex((field) => visible(field) === '-jar')
      const jar = call.args[at + 1]
      if (at < 0 || jar === undefined) return
      const known = SERVICE_JAR.exec(visible(jar).replace(/^.*\//, ''))?.[1]
      if (known !== undefined) call.run([literal(known), ...call.args.slice(at + 2)])
      else call.runFile(jar, 'unknown', call.args.slice(at + 2))
    },
    examples: [
      ['java -jar jenkins-cli.jar -s http://j.example delete-job a', 'cloud.destroy+all'],
      ['java -jar build/app.jar', 'exec.run+script@workspace'],
      ['java -version'],
    ],
  },
]
