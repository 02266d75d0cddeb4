/** Files that agents read by themselves in later sessions. */
export const MEMORY_FILE =
  /(?:^|\/)(?:CLAUDE(?:\.local)?\.md|(?:AGENTS|GEMINI|MEMORY|SOUL|USER|TOOLS|IDENTITY|HEARTBEAT|BOOT(?:STRAP)?)\.md|\.(?:cursor|windsurf|cline)rules|copilot-instructions\.md|memory\/[^/]+\.md|\.(?:cursor|windsurf|claude)\/(?:rules|commands|agents|skills)\/.{1,200}\.mdc?)$/i
