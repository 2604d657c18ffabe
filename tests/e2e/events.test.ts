import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readSse } from '../support/http/sse-reader.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession } from '../support/mcp/rpc-http.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);

describe('GET /api/v1/events', () => {
  test('reports new sessions, and resumes after a restart from the last event id', async (context) => {
    const home = join(folder, 'restarted');
    const first = await startHttp({ home });
    context.after(() => first.stop());
    const reader = await readSse(context, `${first.base}/api/v1/events?types=session.`);
    const session = await openSession(first.url);
    await session.call('ping');
    const [created] = await reader.take(1);

    const stopped = first.stop();
    while (await reader.next());
    assert.equal((await stopped).code, 0);
    const second = await startHttp({ home });
    context.after(() => second.stop());
    await openSession(second.url);
    const resumed = await readSse(context, `${second.base}/api/v1/events?types=session.created`, {
      'last-event-id': created?.id ?? '',
    });
    const [next] = await resumed.take(1);

    assert.partialDeepStrictEqual(created?.data, { type: 'session.created', number: Number(created?.id) });
    assert.partialDeepStrictEqual(next?.data, { type: 'session.created' });
    assert.ok(Number(next?.id) > Number(created?.id));
  });

  test('requires a token with the scope system:read', async (context) => {
    const home = join(folder, 'guarded');
    const hash = (token: string) => createHash('sha256').update(token).digest('hex');
    const token = (name: string, scope: string) => `{ name: ${name}, token_hash: ${hash(name)}, scopes: [${scope}] }`;
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(
      join(home, 'config.yaml'),
      `auth:\n  tokens:\n    - ${token('looker', 'system:read')}\n    - ${token('chatter', 'chat:read')}\n`,
      { mode: 0o600 },
    );
    const program = await startHttp({ home });
    context.after(() => program.stop());
    const open = (authorization: Record<string, string>) =>
      readSse(context, `${program.base}/api/v1/events`, authorization);

    const stranger = await open({});
    const chatter = await open({ authorization: 'Bearer chatter' });
    const looker = await open({ authorization: 'Bearer looker' });

    assert.deepEqual([stranger.status, chatter.status, looker.status], [401, 403, 200]);
  });
});
