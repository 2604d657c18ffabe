import { createHash } from 'node:crypto';
import { newId } from '../../domain/ids.ts';
import type { WritingAccount, WritingParts } from './parts.ts';

/** A new Message-ID, without its brackets. */
export function newMessageId({ clock, randomHex }: WritingParts, { from }: WritingAccount): string {
  return `${newId(clock.now(), randomHex)}@${domainOf(from.address)}`;
}

/** The same for the same key of the same caller, so that a repeated call finds what the first one wrote. */
export function messageIdOfKey(key: string, identity: string, { id, from }: WritingAccount): string {
  const hash = createHash('sha256').update(JSON.stringify([identity, id, key]));
  return `${hash.digest('hex').slice(0, 32)}@${domainOf(from.address)}`;
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
