/** What an agent is told, in the words of the original program. */
export const NOTICE = 'Check your agentmail';
