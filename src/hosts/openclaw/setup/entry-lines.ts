/** The lines that enable the plugin, for a person who has to add them by hand. */
export const linesToAdd = ({ id, folder }: { readonly id: string; readonly folder: string }): string =>
  [
    '',
    `  "plugins": {`,
    `    "load": { "paths": [${JSON.stringify(folder)}] },`,
    `    "entries": { ${JSON.stringify(id)}: { "enabled": true, "hooks": { "allowConversationAccess": true } } }`,
    `  }`,
    `  and, if plugins.allow names any plugin, ${JSON.stringify(id)} there.`,
  ].join('\n')
