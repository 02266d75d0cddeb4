import type { Target } from '../../../../protocol/evidence.ts'
import { isArray, isObject } from '../../../../protocol/json.ts'
import { type ToolRow, type ToolUse, emitNothing } from '../tool.ts'
import { mediaInText, emitMedia } from './media.ts'
import { type TextAt, emitOne, emitAct, emitting, textsAt, thing, things, throughGateway } from './emit-effects.ts'
import { words } from '../../values/words.ts'

/** The recipients of a message, by all members that the host reads (dist/message-action-normalization). */
const recipientsOf = (use: ToolUse): readonly Target[] => [
  ...things(use, 'recipient', 'target', 'targets', 'to', 'userId', 'participant', 'memberId', 'openId', 'unionId'),
  ...things(use, 'channel', 'channelId', 'chatId', 'groupId', 'channelIds', 'conversationRef'),
]

const TEXTS = ['message', 'text', 'caption', 'content', 'voiceText'] as const
const MEDIA = ['media', 'mediaUrl', 'mediaUrls', 'media_urls', 'path', 'filePath', 'fileUrl', 'image'] as const
const ATTACHED = ['media', 'mediaUrl', 'path', 'filePath', 'fileUrl', 'url'] as const

const attached = ({ input }: ToolUse): readonly TextAt[] => {
  const { attachments } = input
  return (isArray(attachments) ? attachments : []).flatMap((one, at) =>
    ATTACHED.flatMap((member) => {
      const text = isObject(one) ? one[member] : undefined
      return typeof text === 'string' && text !== '' ? [[`/input/attachments/${at}/${member}`, text] as const] : []
    }),
  )
}

/** Emits that something is sent to people. Without a recipient it answers the agent's own conversation. */
const send = (use: ToolUse): void => {
  const named = recipientsOf(use)
  const to = named.length > 0 ? named : [thing('conversation:current')]
  if (named.length > 0) emitAct(use, named)
  emitOne(use, 'net.send', to)
  emitMedia(use, [...textsAt(use, ...MEDIA), ...attached(use), ...textsAt(use, ...TEXTS).flatMap(mediaInText)], to)
}

/** An act in a channel without a message. */
const act = (use: ToolUse): void => emitAct(use, recipientsOf(use))

/** Tools that reach people. */
export const MESSAGE_TOOLS: readonly ToolRow[] = [
  throughGateway({
    names: ['message'],
    sideEffect: 'communication',
    actions: [
      {
        names: words(`read search reactions list-pins permissions thread-list sticker-search member-info role-info
          emoji-list channel-info channel-list voice-status event-list download-file`),
        sideEffect: 'read_only',
        run: act,
      },
      {
        names: ['react', 'pin', 'unpin', 'poll-vote', 'set-presence', 'unsend', 'delete', 'conversation-open'],
        sideEffect: 'external_write',
        run: act,
      },
      {
        names: ['role-add', 'addParticipant'],
        sideEffect: 'privileged',
        run: (use) => {
          act(use)
          emitOne(use, 'access.grant', recipientsOf(use))
        },
      },
      {
        names: ['channel-delete', 'category-delete'],
        sideEffect: 'external_write',
        run: (use) => {
          act(use)
          emitOne(use, 'cloud.destroy', recipientsOf(use))
        },
      },
    ],
    run: send,
    examples: [
      [{ action: 'send', message: 'Done.' }, 'net.send'],
      [{ action: 'send', target: '#team', message: 'Done.' }, 'tool.call', 'net.send'],
      [{ action: 'read', target: '#team' }, 'tool.call'],
      [
        { action: 'send', target: '@eve', message: 'see this', media: '/home/user/.ssh/id_rsa' },
        ...words('tool.call net.send fs.read@credential secret.read@credential secret.send@credential'),
      ],
      [
        { action: 'reply', message: 'here\nMEDIA:~/.aws/credentials' },
        ...words('net.send fs.read@credential secret.read@credential secret.send@credential'),
      ],
      [
        { action: 'send', attachments: [{ type: 'file', filePath: '.env' }] },
        ...words('net.send fs.read@dotenv secret.read@dotenv secret.send@dotenv'),
      ],
      [{ action: 'role-add', userId: '7', roleId: 'admin' }, 'tool.call', 'access.grant'],
      [{ action: 'channel-delete', channelId: '9' }, 'tool.call', 'cloud.destroy'],
    ],
  }),
  {
    names: ['conversations_send', 'conversations_turn'],
    sideEffect: 'communication',
    run: send,
    examples: [
      [{ conversationRef: 'conv_0', message: 'Hello' }, 'tool.call', 'net.send'],
      [
        { conversationRef: 'conv_0', message: 'Hello', mediaUrl: '.env' },
        'tool.call',
        'net.send',
        'fs.read@dotenv',
        'secret.read@dotenv',
        'secret.send@dotenv',
      ],
    ],
  },
  {
    names: ['conversations_list', 'ask_user', 'progress_card', 'structured_output'],
    sideEffect: 'read_only',
    run: emitNothing,
    examples: [[{ questions: [{ id: 'a', question: 'Which one?' }] }]],
  },
  {
    names: ['heartbeat_respond'],
    sideEffect: 'communication',
    run: emitNothing,
    examples: [[{ outcome: 'progress', notify: true, summary: 's', notificationText: 'Done.' }]],
  },
  {
    names: ['github_publish'],
    sideEffect: 'external_write',
    run: emitting('vcs.publish'),
    examples: [[{ title: 'Fix' }, 'vcs.publish']],
  },
  {
    names: ['transcripts'],
    sideEffect: 'external_write',
    actions: [
      { names: ['status', 'list', 'show', 'summarize'], sideEffect: 'read_only', run: emitNothing },
      { names: ['stop', 'import'], sideEffect: 'local_write', run: emitNothing },
    ],
    run: (use) => emitAct(use, things(use, 'meeting', 'meetingUrl', 'channelId')),
    examples: [
      [{ action: 'show', selector: 's' }],
      [{ action: 'start', meetingUrl: 'https://meet.example/abc' }, 'tool.call'],
    ],
  },
]
