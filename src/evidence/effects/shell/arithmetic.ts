import type { ArithmeticExpression } from 'unbash'

const BINARY: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => Math.trunc(left / right),
  '%': (left, right) => left % right,
  '**': (left, right) => left ** right,
  '<<': (left, right) => left << right,
  '>>': (left, right) => left >> right,
  '&': (left, right) => left & right,
  '|': (left, right) => left | right,
  '^': (left, right) => left ^ right,
}

const numberOf = (text: string): number | undefined => {
  const based = /^(\d{1,2})#([0-9a-z]+)$/i.exec(text)
  if (based) {
    const [, base = '', digits = ''] = based
    const number = Number(base) >= 2 && Number(base) <= 36 ? Number.parseInt(digits, Number(base)) : Number.NaN
    return Number.isNaN(number) ? undefined : number
  }
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8)
  return /^(?:\d+|0x[0-9a-f]+)$/i.test(text) ? Number(text) : undefined
}

const finite = (number: number | undefined): number | undefined =>
  number === undefined || !Number.isSafeInteger(number) ? undefined : number

/** Most nested levels of an expression that are evaluated. */
const DEEPEST = 32

/**
 * The number of an arithmetic expression whose parts are known and that changes nothing; `undefined` for any other.
 * @param variable the only text a variable can have
 */
export const arithmeticNumber = (
  expression: ArithmeticExpression | undefined,
  variable: (name: string) => string | undefined,
  levels = DEEPEST,
): number | undefined => {
  if (expression === undefined || levels === 0) return undefined
  switch (expression.type) {
    case 'ArithmeticBinary': {
      const operation = Object.hasOwn(BINARY, expression.operator) ? BINARY[expression.operator] : undefined
      if (operation === undefined) return undefined
      const left = arithmeticNumber(expression.left, variable, levels - 1)
      const right = left === undefined ? undefined : arithmeticNumber(expression.right, variable, levels - 1)
      return left === undefined || right === undefined ? undefined : finite(operation(left, right))
    }
    case 'ArithmeticUnary': {
      const operand = arithmeticNumber(expression.operand, variable, levels - 1)
      if (operand === undefined) return undefined
      return expression.operator === '-' ? -operand : expression.operator === '+' ? operand : undefined
    }
    case 'ArithmeticGroup':
      return arithmeticNumber(expression.expression, variable, levels - 1)
    case 'ArithmeticWord': {
      const text = expression.value
      const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(text)?.[1]
      const found = name === undefined ? text : variable(name)
      return found === undefined ? undefined : numberOf(found.trim())
    }
    case 'ArithmeticTernary':
    case 'ArithmeticCommandExpansion':
      return undefined
    default:
      return expression satisfies never
  }
}
