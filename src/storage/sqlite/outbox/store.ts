import type { OutboxStore } from '../../../outbox/ports.ts';
import type { SqliteParts } from '../../definition.ts';
import { createOutboxStore } from './items.ts';

export function open({ db, clock }: SqliteParts): OutboxStore {
  return createOutboxStore(db, clock);
}
