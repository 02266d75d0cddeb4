import { expect, test } from 'vitest'
import { AOS_METHODS } from '../../src/protocol/aos/methods.ts'
import { AOS_DIALECTS } from '../../src/protocol/aos/result.ts'
import { RPC_ERRORS } from '../../src/protocol/json-rpc.ts'

/** What callers of others are written against: literals, so that a change of it is seen. */
test('the methods of AOS, by every name, and whether they can be modified', () => {
  const rows = AOS_METHODS.map(({ name, published, aliases, modifiable }) =>
    [name, ...(published === undefined ? [] : [published]), ...aliases, modifiable ? 'modify' : '-'].join(' '),
  )
  expect(rows).toEqual([
    'steps/agentTrigger modify',
    'steps/message modify',
    'steps/toolCallRequest modify',
    'steps/toolCallResult modify',
    'steps/memoryContextRetrieval modify',
    'steps/memoryStore modify',
    'steps/knowledgeRetrieval modify',
    'protocols/MCP modify',
    'message/send SendMessage send_message send_message_request modify',
    'message/stream SendStreamingMessage stream_message stream_message_request modify',
    'tasks/get task/get GetTask get_task get_task_request modify',
    'tasks/cancel CancelTask cancel_request cancel_task cancel_task_request -',
    'tasks/resubscribe SubscribeToTask TaskSubscription resubscribe_to_task_request -',
    'tasks/pushNotificationConfig/set task/pushNotificationConfig/set CreateTaskPushNotificationConfig SetTaskPushNotificationConfig set_task_push_notification_config_request modify',
    'tasks/pushNotificationConfig/get task/pushNotificationConfig/get GetTaskPushNotificationConfig get_task_push_notification_config_request -',
    'ping -',
    'protocols/A2A modify',
    'tasks/list ListTasks modify',
    'tasks/pushNotificationConfig/list ListTaskPushNotificationConfigs -',
    'tasks/pushNotificationConfig/delete DeleteTaskPushNotificationConfig -',
    'agent/getAuthenticatedExtendedCard GetExtendedAgentCard -',
  ])
})

test('dialects and error numbers', () => {
  expect(AOS_DIALECTS).toEqual(['default', 'published', 'joch'])
  expect(RPC_ERRORS).toEqual({
    parse: -32_700,
    invalidRequest: -32_600,
    methodNotFound: -32_601,
    invalidParams: -32_602,
    internal: -32_603,
  })
})
