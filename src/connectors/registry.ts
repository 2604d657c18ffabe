/** Every network there is, by the kind of its sources; loaded when one of them is connected. */
export const CONNECTORS = {
  irc: async () => (await import('./irc/index.ts')).irc,
  matrix: async () => (await import('./matrix/index.ts')).matrix,
  xmpp: async () => (await import('./xmpp/index.ts')).xmpp,
};
