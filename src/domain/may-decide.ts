import { answerableIdentity, isOwnerToken, type Principal } from './principal.ts';

/** Who submitted what a person decides on. */
interface Author {
  /** Name of the principal. */
  principal: string;
  /** The identity that answers for it; unknown in what earlier versions stored. */
  identity?: string | undefined;
}

interface Decider {
  principal: Principal;
  isPerson?: (() => Promise<boolean>) | undefined;
  /** An agent's program may use the owner's token there. */
  isAgentsDoor?: boolean;
}

/**
 * Whether a caller may approve what a principal submitted. The owner may approve everything: the person at a terminal, or the
 * owner's token. Another token may approve what others submitted. Any other process of the local user may be an agent, which
 * would approve its own.
 */
export async function mayDecide(author: Author, decider: Decider): Promise<'yes' | 'not-the-person' | 'own'> {
  const { principal, isPerson, isAgentsDoor = false } = decider;
  if ((isOwnerToken(principal) && !isAgentsDoor) || (await isPerson?.())) return 'yes';
  if (principal.kind === 'local') return 'not-the-person';
  const { identity } = author;
  const isOwn =
    identity === undefined ? author.principal === principal.name : identity === answerableIdentity(principal);
  return isOwn ? 'own' : 'yes';
}
