import type { TestContext } from 'node:test';
import type { SourceDefinition } from '../../../src/chat/engine/definition.ts';
import { createEngine, type Engine } from '../../../src/chat/engine/engine.ts';
import type { Connection, Host } from '../../../src/connectors/connector.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../operation-context.ts';
import type { Store } from '../store/open-store.ts';
import { openStore } from '../store/open-store.ts';
import { memorySecrets } from './memory-secrets.ts';

/** An engine with short retry delays. */
export function engineOn({ messages, chats, sources }: Pick<Store, 'messages' | 'chats' | 'sources'>): Engine {
  return createEngine({
    messages,
    chats,
    sourceRepository: sources,
    secrets: memorySecrets(),
    clock: systemClock,
    log: silentLog,
    firstRetryMs: 5,
    retryMs: [1, 1],
    laterMs: [5],
    signOffMs: 50,
  });
}

/** An engine on a store in memory, stopped when the test ends. */
export async function startEngine(context: TestContext): Promise<{ engine: Engine; store: Store }> {
  const store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
  const engine = engineOn(store);
  context.after(async () => {
    await engine.stop();
    await store.close();
  });
  await engine.start();
  return { engine, store };
}

/** A source on a network in memory. */
export function definitionOf({ open }: { open(host: Host): Promise<Connection> }): SourceDefinition {
  return {
    id: 'net',
    kind: 'fake',
    name: 'Net',
    configuredIn: 'file',
    canStream: true,
    canSend: true,
    howToConnect: '',
    open,
    fingerprint: 'one',
  };
}
