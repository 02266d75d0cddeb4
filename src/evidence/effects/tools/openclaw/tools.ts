import { FILE_TOOLS } from './file-tools.ts'
import { MACHINE_TOOLS } from './machine-tools.ts'
import { MEDIA_TOOLS } from './media-tools.ts'
import { MESSAGE_TOOLS } from './message-tools.ts'
import { RUN_TOOLS } from './run-tools.ts'
import { SCHEDULE_TOOLS } from './schedule-tools.ts'
import { SESSION_TOOLS } from './session-tools.ts'
import { SETTING_TOOLS } from './setting-tools.ts'
import { WEB_TOOLS } from './web-tools.ts'
import type { ToolRow } from '../tool.ts'

/**
 * Tools of OpenClaw 2026.9.6, by what its tool schemas take (`dist/bash-tools.schemas`, `dist/openclaw-tools`,
 * `dist/cron-tool`, `extensions/*`). Tools of its plugins and of MCP servers are read by their names.
 */
export const OPENCLAW_TOOLS: readonly ToolRow[] = [
  ...RUN_TOOLS,
  ...FILE_TOOLS,
  ...WEB_TOOLS,
  ...MEDIA_TOOLS,
  ...MESSAGE_TOOLS,
  ...SESSION_TOOLS,
  ...MACHINE_TOOLS,
  ...SCHEDULE_TOOLS,
  ...SETTING_TOOLS,
]
