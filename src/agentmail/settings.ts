import type { ConfigDeclaration } from '../capability.ts';

/** Agent mail needs no settings; these ids are the source that it is in chat, and the person in it. */
export const config: ConfigDeclaration = { sections: {}, reservedIds: ['agentmail', 'human'] };
