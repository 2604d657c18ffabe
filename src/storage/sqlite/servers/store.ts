import type { ServerStores } from '../../../servers/ports.ts';
import type { SqliteParts } from '../../definition.ts';
import { createServerStore } from './servers.ts';

export function open({ db, clock }: SqliteParts): ServerStores {
  return { servers: createServerStore(db, clock) };
}
