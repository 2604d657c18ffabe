import type { IncomingMessage } from 'node:http';
import { AppError } from '../domain/errors.ts';
import type { PeerUsers } from './peer-user.ts';

/** Headers that proxies add. A proxy of our own user would make its clients look like our own. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

const HINT = 'Set auth.token there, and send the header Authorization: Bearer <token>.';

/** Without a token only processes of our own user are served. Root is another user: it may act for anyone. A known user is checked at once. */
export function checkLocalClient({ headers, socket }: IncomingMessage, peers: PeerUsers): Promise<void> | undefined {
  if (FORWARDED.some((name) => headers[name] !== undefined))
    throw new AppError('FORBIDDEN', 'A proxy forwarded this request, so that a token is required.', { hint: HINT });
  const known = peers.isOwn(socket);
  if (typeof known !== 'boolean') return known.then(checkUser);
  checkUser(known);
  return undefined;
}

function checkUser(isOwn: boolean | undefined): void {
  if (isOwn) return;
  throw new AppError(
    'FORBIDDEN',
    isOwn === undefined
      ? 'The user who sent this request cannot be determined, so that a token is required.'
      : 'Without a token only processes of the user who runs Switchboard are served.',
    { hint: HINT },
  );
}
