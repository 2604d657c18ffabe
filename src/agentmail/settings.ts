import type { ConfigDeclaration } from '../capability.ts';

/** Agent mail has no settings; these are the ids of its chat source and of the user in it. */
export const config: ConfigDeclaration = { sections: {}, reservedIds: ['agentmail', 'human'] };
