/** Options of Node that load a file into every program, or open a debugger in it. */
const LOADS =
  /(?:^|[\s"'=])(?:--(?:require|import|loader|experimental-loader|inspect\S*|env-file|openssl-config)|-r)(?:[=\s]|$)/

/** Whether options of Node load a file, or open a debugger. */
export const loadsFile = (options: string): boolean => LOADS.test(options)

/** Whether text for a package manager's settings makes every program of Node load something. */
export const setsNodeOptions = (text: string): boolean =>
  text.split('\n').some((line) => /^\s*node[-_]options\s*=/i.test(line) && LOADS.test(line))
