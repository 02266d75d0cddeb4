/** Reads a file of environment variables, as `environmentText` writes it. */
export const readEnvironment = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line): readonly (readonly [string, string])[] => {
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) return []
      const inner = /^"(.*)"$/.exec(value)?.[1]
      return [[name, inner === undefined ? value : inner.replaceAll(/\\([\\"$`])/g, '$1')]]
    }),
  )
