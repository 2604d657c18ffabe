import { PassThrough } from 'node:stream';
import { localPrincipal } from '../../../src/domain/principal.ts';
import type { Limits } from '../../../src/mcp/limits.ts';
import type { Registry } from '../../../src/mcp/registry.ts';
import { serveStreams } from '../../../src/mcp/stdio.ts';
import { openDoorParts } from '../../conformance/serve.ts';
import { rpcOverLines } from './rpc-lines.ts';

/** The stdio server of the program on two streams of this process, with a client at the other end. */
export async function serveFixtureStreams(registry: Registry, lowered: Partial<Limits> = {}) {
  const { parts, store } = await openDoorParts(lowered);
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController();
  const over = serveStreams(parts, {
    registry,
    principal: localPrincipal(),
    only: [],
    input,
    output,
    stop: stop.signal,
  }).finally(() => output.end());
  return {
    client: rpcOverLines(input, output),
    input,
    output,
    sessions: store.sessions,
    /** Resolves when the server has closed by itself. */
    over,
    stop: () => stop.abort(),
    async close(): Promise<void> {
      stop.abort();
      await over;
      await store.close();
    },
  };
}
