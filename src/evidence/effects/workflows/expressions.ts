import { singleQuoted } from '../../../protocol/shell-word.ts'

const EXPRESSION = /\$\{\{([^}]{0,512})\}\}/g

const SECRET = /\bsecrets\s*(?:\.\s*(\w{1,128})|\[\s*['"](\w{1,128})['"]\s*\])/
const SAYS_SECRET = /SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIAL/i

/** The shell variable that represents an expression in the analysis: a secret by its name, otherwise a value. */
const variableFor = (expression: string): string => {
  const [, dotted, named] = SECRET.exec(expression) ?? []
  const secret = dotted ?? named
  if (secret !== undefined) return SAYS_SECRET.test(secret) ? secret : `${secret}_SECRET`
  if (/\bsecrets\b/.test(expression)) return 'EVERY_SECRET'
  if (/\bgithub\s*\.\s*token\b/.test(expression)) return 'GITHUB_TOKEN'
  return /^\s*env\.(\w{1,128})\s*$/.exec(expression)?.[1] ?? 'CI_VALUE'
}

/** Shell code in which the service's expressions are variables of the same meaning, also inside of single quotes. */
export const expressionsAsShell = (code: string): string => {
  if (!code.includes('${{')) return code
  let [out, from, single, double] = ['', 0, false, false]
  for (const match of code.matchAll(EXPRESSION)) {
    const before = code.slice(from, match.index)
    for (let at = 0; at < before.length; at++) {
      const sign = before[at]
      if (sign === '\\' && !single) at++
      else if (sign === "'" && !double) single = !single
      else if (sign === '"' && !single) double = !double
    }
    const variable = `\${${variableFor(match[1] ?? '')}}`
    out += before + (single ? `'"${variable}"'` : variable)
    from = match.index + match[0].length
  }
  return out + code.slice(from)
}

/** A value as one word of shell code. */
export const literalAsShell = (value: string): string => {
  let [out, from] = ['', 0]
  const quoted = (text: string): string => (text === '' ? '' : singleQuoted(text))
  for (const match of value.matchAll(EXPRESSION)) {
    out += `${quoted(value.slice(from, match.index))}"\${${variableFor(match[1] ?? '')}}"`
    from = match.index + match[0].length
  }
  return out + quoted(value.slice(from)) || "''"
}
