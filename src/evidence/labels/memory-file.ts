/** Files that agents read by themselves in later sessions. */
export const MEMORY_FILE =
  /(?:^|\/)(?:CLAUDE(?:\.local)?\.md|(?:AGENTS|GEMINI|MEMORY|SOUL|USER|TOOLS|IDENTITY|HEARTBEAT|BOOT(?:STRAP)?)\.md|\.(?:cursor|windsurf|cline)rules|copilot-instructions\.md|memory\/[^/]+\.md|\.(?:cursor|windsurf|claude)\/(?:rules|commands|agents|skills)\/.{1,200}\.mdc?)$/i

/** Files that define what agents and editors may do and run automatically. */
export const STANDING_SETTINGS =
  /(?:^|\/)(?:\.(?:claude|cursor|gemini|codex)\/(?:settings|mcp|config|permissions)[\w.-]{0,20}\.(?:json|toml)|\.mcp\.json|\.vscode\/(?:settings|tasks)\.json|\.envrc)$/i

/** Files of a workspace whose lines run by themselves later: at an install, a build, a test, a commit, a start or a push. */
export const RUNS_LATER =
  /(?:^|\/)(?:package\.json|(?:GNU)?Makefile|[\w.-]{1,64}\.mk|\.?justfile|Taskfile\.ya?ml|Rakefile|Gemfile|tox\.ini|(?:noxfile|conftest|setup|fabfile)\.py|setup\.cfg|pyproject\.toml|build\.(?:rs|gradle(?:\.kts)?)|pom\.xml|composer\.json|(?:Docker|Container|Jenkins|Proc|Vagrant)file|(?:docker-)?compose[\w.-]{0,40}\.ya?ml|\.pre-commit-config\.yaml|lefthook\.ya?ml|\.gitlab-ci\.yml|azure-pipelines\.yml|\.travis\.yml|(?:\.github\/(?:workflows|actions)|\.circleci|\.husky|\.githooks|\.devcontainer|\.buildkite|\.woodpecker)\/.{1,200}|[\w.-]{1,64}\.(?:sh|bash|zsh|ps1|bat|cmd)|(?:vite|vitest|webpack|rollup|next|jest|eslint)\.config\.[cm]?[jt]s)$/i
