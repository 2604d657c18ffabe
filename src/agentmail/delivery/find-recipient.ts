import { AppError } from '../../domain/errors.ts';
import { closest } from '../../lib/did-you-mean.ts';
import type { AgentContext, Peer } from '../agent.ts';
import { mailboxFileOf } from '../mailbox/names.ts';
import { HUMAN } from '../user-name.ts';

/** The peer with this name, from the sender's view. An ambiguous name is an error. */
export function findRecipient(at: AgentContext, to: string, remoteAgents: readonly string[]): Peer {
  const { me, peers } = at;
  if (peers.some(({ name, window }) => name === me.name && window !== me.window)) {
    throw new AppError('CONFLICT', `sender ambiguous: another window is named '${me.name}' too`, {
      hint: 'Rename one of them.',
    });
  }
  // Also where a window has that name: it is no agent's.
  if (to === HUMAN && !at.ignored.has(to)) return { name: HUMAN, isCurrent: false };
  const named = at.peers.filter(({ name }) => name === to);
  if (named.length > 1) {
    throw new AppError('CONFLICT', `recipient ambiguous: ${named.length} windows are named '${to}'`, {
      field: 'recipient',
      hint: 'Rename one of them.',
    });
  }
  if (to === at.me.name) throw notFound('That is your own window: nobody can write to himself.');
  if (at.ignored.has(to)) throw notFound(`'${to}' is listed in .agentmailignore.`);
  const [peer] = named;
  if (peer) return checked(peer);
  if (remoteAgents.includes(to)) return checked({ name: to, isCurrent: false });
  throw notFound(suggestion(at, to, remoteAgents));
}

function checked(peer: Peer): Peer {
  mailboxFileOf(peer.name);
  return peer;
}

function suggestion(at: AgentContext, to: string, remoteAgents: readonly string[]): string {
  const known = [...at.peers.map(({ name }) => name), ...remoteAgents].filter(
    (name) => name !== at.me.name && !at.ignored.has(name),
  );
  const meant = closest(to, known);
  if (meant !== undefined) return `Did you mean '${meant}'?`;
  return known.length === 0 ? 'There is no other agent here.' : `Known: ${[...new Set(known)].join(', ')}.`;
}

function notFound(hint: string): AppError {
  return new AppError('RECIPIENT_NOT_FOUND', 'recipient not found', { field: 'recipient', hint });
}
