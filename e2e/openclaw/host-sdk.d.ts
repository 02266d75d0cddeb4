/** What the plugins of these tests use of the host's own modules, which the host resolves for them when it loads them. */
declare module 'openclaw/plugin-sdk/channel-core' {
  export const createChannelPluginBase: (base: unknown) => unknown
  export const createChatChannelPlugin: (parts: unknown) => unknown
  export const defineChannelPluginEntry: (entry: unknown) => unknown
}
declare module 'openclaw/plugin-sdk/plugin-entry' {
  export const definePluginEntry: (entry: unknown) => unknown
}
