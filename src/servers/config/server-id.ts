import { createHash } from 'node:crypto';
import type { ServerId } from '../../domain/server-config.ts';

const MAX_LENGTH = 32;

/** The id of a server with this name: `My GitHub` is `my-github`. A name without Latin letters gets a number made from it. */
export function serverIdOf(name: string): ServerId {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const slug = plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-|-$/g, '');
  if (slug !== '') return slug as ServerId;
  return `server-${createHash('sha256').update(name).digest('hex').slice(0, 8)}` as ServerId;
}
