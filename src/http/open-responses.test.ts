import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { openHttpDoor } from '../../tests/support/http/door.ts';
import { createAuth } from './tokens.ts';

describe('a token whose rights have changed', () => {
  test('loses its open streams; others keep theirs', async (context) => {
    const tokens = ['a', 'b'].map((name) => ({
      name,
      hash: createHash('sha256').update(name).digest('hex'),
      scopes: [],
    }));
    const auth = createAuth({ tokens, localScopes: [] });
    const sse = (response: ServerResponse) => void response.writeHead(200).write('open');
    const door = await openHttpDoor(context, { sse }, { auth });
    const stream = (name: string) => fetch(`${door.url}/sse`, { headers: { authorization: `Bearer ${name}` } });
    const [mine, other] = await Promise.all(['a', 'b'].map(stream));

    const [a, b] = tokens;
    assert(a && b);
    await auth.change({ tokens: [{ ...a, scopes: ['chat:read'] }, b], localScopes: [] });

    await assert.rejects(mine?.text() ?? Promise.resolve());
    const reader = other?.body?.getReader();
    assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'open');
    await reader?.cancel();
  });
});
