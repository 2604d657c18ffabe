import { localPrincipal } from '../../src/domain/principal.ts';
import type { Log } from '../../src/lib/log.ts';
import type { OperationContext } from '../../src/operation.ts';

export const silentLog: Log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };

/** The context of an operation that is called directly: the local user, no deadline, and these parts. */
export function contextWith<Parts extends object>(parts: Parts): OperationContext & Parts {
  return {
    principal: localPrincipal(),
    door: 'mcp',
    signal: new AbortController().signal,
    log: silentLog,
    progress() {},
    onDelivery: (settle) => void settle(true),
    ...parts,
  };
}

/** The same for the person at a terminal. */
export function personWith<Parts extends object>(parts: Parts): OperationContext & Parts {
  return { ...contextWith(parts), door: 'cli', isPerson: async () => true };
}
