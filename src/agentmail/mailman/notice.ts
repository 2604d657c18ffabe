/** The notice to an agent, in the wording of the original program. */
export const NOTICE = 'Check your agentmail';
