import type { OutboxStore } from '../../../domain/outbox.ts';
import type { SqliteParts } from '../../definition.ts';
import { createOutbox } from '../outbox.ts';

export function open({ db, clock }: SqliteParts): OutboxStore {
  return createOutbox(db, clock);
}
