import type { Direction, Step, StepKind } from '../../protocol/step.ts'

type Sent = `${'A2AMessage' | 'McpMessage'}${'Sent' | 'Received'}`

/** The subject of a decision, by the event names of this project. */
export type Subject =
  | 'ToolCallRequested'
  | 'ToolCallCompleted'
  | 'ToolCallFailed'
  | 'ToolResultsReturned'
  | 'ApprovalRequested'
  | 'MemoryRead'
  | 'MemoryWritten'
  | 'KnowledgeRetrieved'
  | 'ModelCallStarted'
  | 'ModelCallCompleted'
  | 'ExecutionStarted'
  | 'ExecutionSucceeded'
  | 'ExecutionFailed'
  | 'AgentTriggered'
  | 'SessionStarted'
  | 'SessionEnded'
  | 'SubagentStarted'
  | 'SubagentStopped'
  | 'UserMessageReceived'
  | 'SystemMessageAdded'
  | 'AgentMessageSent'
  | 'SkillInvoked'
  | 'ContextCompacted'
  | 'NoticeReceived'
  | Sent

const byDirection =
  <N extends 'A2AMessage' | 'McpMessage'>(name: N) =>
  (payload: { readonly direction: Direction }): `${N}${'Sent' | 'Received'}` =>
    `${name}${payload.direction === 'outbound' ? 'Sent' : 'Received'}`

const SUBJECT_OF: {
  readonly [K in StepKind]: Subject | ((payload: Extract<Step, { kind: K }>['payload']) => Subject)
} = {
  agentTrigger: 'AgentTriggered',
  sessionStart: 'SessionStarted',
  turnStart: 'ExecutionStarted',
  userMessage: 'UserMessageReceived',
  systemMessage: 'SystemMessageAdded',
  skill: 'SkillInvoked',
  memoryRetrieval: 'MemoryRead',
  knowledgeRetrieval: 'KnowledgeRetrieved',
  modelRequest: 'ModelCallStarted',
  modelResponse: 'ModelCallCompleted',
  toolCallRequest: 'ToolCallRequested',
  permissionRequest: 'ApprovalRequested',
  toolCallResult: ({ status }) => (status === 'failed' ? 'ToolCallFailed' : 'ToolCallCompleted'),
  toolResultBatch: 'ToolResultsReturned',
  mcpMessage: byDirection('McpMessage'),
  a2aMessage: byDirection('A2AMessage'),
  subagentStart: 'SubagentStarted',
  subagentStop: 'SubagentStopped',
  memoryStore: 'MemoryWritten',
  agentMessage: 'AgentMessageSent',
  compaction: 'ContextCompacted',
  notice: 'NoticeReceived',
  turnEnd: ({ outcome }) => (outcome === 'failed' ? 'ExecutionFailed' : 'ExecutionSucceeded'),
  sessionEnd: 'SessionEnded',
}

/** The event name for the subject of a step. */
export const subjectOf = (step: Step): Subject => {
  const entry = SUBJECT_OF[step.kind] as Subject | ((payload: Step['payload']) => Subject)
  return typeof entry === 'string' ? entry : entry(step.payload)
}
