/** Files that agents read by themselves in later sessions. */
export const MEMORY_FILE =
  /(?:^|\/)(?:CLAUDE(?:\.local)?\.md|(?:AGENTS|GEMINI|MEMORY|SOUL|USER|TOOLS|IDENTITY|HEARTBEAT|BOOT(?:STRAP)?)\.md|\.(?:cursor|windsurf|cline)rules|copilot-instructions\.md|memory\/[^/]+\.md|\.(?:cursor|windsurf|claude)\/(?:rules|commands|agents|skills)\/.{1,200}\.mdc?)$/i

/** Files that say what agents and editors may do, and run, by themselves. */
export const STANDING_SETTINGS =
  /(?:^|\/)(?:\.(?:claude|cursor|gemini|codex)\/(?:settings|mcp|config|permissions)[\w.-]{0,20}\.(?:json|toml)|\.mcp\.json|\.vscode\/(?:settings|tasks)\.json|\.envrc)$/i
