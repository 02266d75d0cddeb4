/** Other names of the A2A methods: those of A2A 1.0, and of the standard's pages, which Joch takes for methods. */
export const NAMES: readonly (readonly [proves: string, method: string, names: readonly string[]])[] = [
  ['accept-a2a-names', 'message/send', ['SendMessage']],
  ['accept-a2a-names', 'message/stream', ['SendStreamingMessage']],
  ['accept-a2a-names', 'tasks/get', ['GetTask']],
  ['accept-a2a-names', 'tasks/cancel', ['CancelTask']],
  ['accept-a2a-names', 'tasks/resubscribe', ['SubscribeToTask', 'TaskSubscription']],
  [
    'accept-a2a-names',
    'tasks/pushNotificationConfig/set',
    ['CreateTaskPushNotificationConfig', 'SetTaskPushNotificationConfig'],
  ],
  ['accept-a2a-names', 'tasks/pushNotificationConfig/get', ['GetTaskPushNotificationConfig']],
  ['accept-a2a-names', 'tasks/list', ['tasks/list', 'ListTasks']],
  [
    'accept-a2a-names',
    'tasks/pushNotificationConfig/list',
    ['tasks/pushNotificationConfig/list', 'ListTaskPushNotificationConfigs'],
  ],
  [
    'accept-a2a-names',
    'tasks/pushNotificationConfig/delete',
    ['tasks/pushNotificationConfig/delete', 'DeleteTaskPushNotificationConfig'],
  ],
  [
    'accept-a2a-names',
    'agent/getAuthenticatedExtendedCard',
    ['agent/getAuthenticatedExtendedCard', 'GetExtendedAgentCard'],
  ],
  ['accept-page-names', 'message/send', ['send_message', 'send_message_request']],
  ['accept-page-names', 'message/stream', ['stream_message', 'stream_message_request']],
  ['accept-page-names', 'tasks/get', ['get_task', 'get_task_request']],
  ['accept-page-names', 'tasks/cancel', ['cancel_request', 'cancel_task', 'cancel_task_request']],
  ['accept-page-names', 'tasks/resubscribe', ['resubscribe_to_task_request']],
  ['accept-page-names', 'tasks/pushNotificationConfig/set', ['set_task_push_notification_config_request']],
  ['accept-page-names', 'tasks/pushNotificationConfig/get', ['get_task_push_notification_config_request']],
  [
    'accept-task-names',
    'tasks/pushNotificationConfig/set',
    ['task/pushNotificationConfig/set', 'tasks/pushNotificationConfig/set'],
  ],
  [
    'accept-task-names',
    'tasks/pushNotificationConfig/get',
    ['task/pushNotificationConfig/get', 'tasks/pushNotificationConfig/get'],
  ],
]
