import type { AgentTools } from '../domain/agent-tool.ts';
import type { Conversation } from '../domain/conversation.ts';
import { AppError } from '../domain/errors.ts';
import type { ConversationId } from '../domain/ids.ts';
import { HUMAN_SCOPE, LOCAL_IDENTITY, type Principal } from '../domain/principal.ts';

export interface PrincipalParts {
  tools: Pick<AgentTools, 'capabilities'>;
  /** The token with this name, with its rights of now. */
  tokenOf(author: { principal: string; identity: string }): Promise<Principal | undefined>;
}

/** The name of a conversation in the audit log, and for the outbox: what it reads and sends is its own. */
export function sessionOf(id: ConversationId): string {
  return `conversation-${id}`;
}

/**
 * Who Claude acts for in a conversation: its owner, with the rights that the owner has now. It manages nothing, is not the
 * person, and has no rights on conversations.
 */
export async function principalOf(
  { owner, identity, answersTo, isOwners }: Conversation,
  { tools, tokenOf }: PrincipalParts,
): Promise<Principal> {
  if (isOwners) {
    const scopes = tools.capabilities().flatMap((name) => ['read', 'write', 'send'].map((right) => `${name}:${right}`));
    const kind = identity === LOCAL_IDENTITY ? 'local' : 'token';
    return { kind, name: owner, identity, scopes: new Set(scopes) };
  }
  const token = await tokenOf({ principal: owner, identity: answersTo });
  if (token?.identity !== identity) {
    throw new AppError('FORBIDDEN', 'The token to which this conversation belongs was removed.', {
      field: 'conversation_id',
    });
  }
  const scopes = [...token.scopes].filter((scope) => scope !== HUMAN_SCOPE && !scope.endsWith(':manage'));
  return { ...token, scopes: new Set(scopes) };
}
