/** Every network there is, by the kind of its sources; loaded when one of them is connected. */
export const CONNECTORS = {
  irc: async () => (await import('./irc/index.ts')).irc,
};
