import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { localPrincipal } from '../../../src/domain/principal.ts';
import { createGates } from '../../../src/mcp/limits.ts';
import { createSessionKeeper } from '../../../src/mcp/session-keeper.ts';
import { createWire, type WireParts } from '../../../src/mcp/wire.ts';
import { manualClock } from '../manual-clock.ts';
import { silentLog } from '../operation-context.ts';
import { memorySessions } from './memory-sessions.ts';
import type { Message } from './rpc-message.ts';

export const WIRE_LIMIT_MS = 1_000;

/** A wire between a client whose responses are recorded and a protocol library that responds when the test does. */
export function bareWire(instead: Partial<WireParts> = {}, maxConcurrent = 100) {
  const answered: Message[] = [];
  const delivered: JSONRPCMessage[] = [];
  const limits = {
    maxConcurrent,
    maxConcurrentTotal: 1_000,
    maxConcurrentPerToken: 1_000,
    requestTimeoutMs: WIRE_LIMIT_MS,
    maxLineBytes: 1_000,
  };
  const session = createSessionKeeper(
    { repository: memorySessions(), clock: manualClock(), log: silentLog },
    { principal: 'local', transport: 'stdio', only: [] },
  );
  const wire = createWire({
    write: async (message) => void answered.push(JSON.parse(JSON.stringify(message)) as Message),
    session,
    gate: createGates(limits).createGate(localPrincipal()),
    requestLimitMs: WIRE_LIMIT_MS,
    log: silentLog,
    onShutdown() {},
    ...instead,
  });
  wire.transport.onmessage = (message) => void delivered.push(message);
  /** Sends the response of the protocol library. */
  const answer = (id: number, result: Record<string, unknown> = {}) =>
    wire.transport.send({ jsonrpc: '2.0', id, result });
  return { wire, session, answered, delivered, answer };
}
