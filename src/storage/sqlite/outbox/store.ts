import type { OutboxStores } from '../../../outbox/ports.ts';
import type { SqliteParts } from '../../definition.ts';
import { createOutboxStore } from './items.ts';
import { createReadStore } from './reads.ts';

export function open({ db, clock }: SqliteParts): OutboxStores {
  return { items: createOutboxStore(db, clock), reads: createReadStore(db) };
}
