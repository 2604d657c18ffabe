import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession } from '../support/mcp/rpc-http.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';
const OWNERS = { authorization: `Bearer ${OWNER}`, 'content-type': 'application/json' };

interface Entry {
  id: string;
  principal: string;
  identity?: string;
  door: string;
  session?: string;
  operation: string;
  result: string;
  reason?: string;
  object?: Record<string, string>;
}

describe('the audit log of the built program', () => {
  const home = join(temporaryFolder(after), 'home');
  let program: Awaited<ReturnType<typeof startHttp>>;
  let reader: Record<string, string>;

  before(async () => {
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'config.yaml'), `auth: { token: ${OWNER} }\nsources:\n  hook: { kind: webhook }\n`);
    program = await startHttp({ home });
    await post(OWNERS, 'sources/hook/messages', [{ chat: 'ops', sender: 'ada', text: 'the content of a message' }]);
    const token = await post(OWNERS, 'tokens', { name: 'reader', scopes: ['chat:read'] });
    reader = { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' };
  });

  after(() => program.stop());

  const url = (path: string) => `${program.base}/api/v1/${path}`;

  async function post(headers: Record<string, string>, path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await fetch(url(path), { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, unknown>;
  }

  async function entries(query: string, headers = OWNERS): Promise<Entry[]> {
    const answer = await fetch(url(`audit?${query}`), { headers });
    return ((await answer.json()) as { entries?: Entry[] }).entries ?? [];
  }

  test('shows who read what, through which door and session, without content', async () => {
    const session = await openSession(program.url, { authorization: reader.authorization ?? '' });
    await session.call('tools/call', {
      name: 'get_messages',
      arguments: { source: 'hook', chat: 'ops', search: 'content' },
    });
    await session.call('resources/read', { uri: 'messages://hook/ops?search=content' });

    const found = await entries('principal=reader&result=ok');
    const [byResource, byTool] = found.filter(({ door }) => door === 'mcp');

    assert.partialDeepStrictEqual(byTool, { session: session.id, object: { source: 'hook', chat: 'ops' } });
    assert.partialDeepStrictEqual(byResource, { object: { uri: 'messages://hook/ops' } });
    assert.match(byTool?.identity ?? '', /^[0-9a-f]{4}$/);
    assert.doesNotMatch(JSON.stringify(await entries('limit=1000')), /content of|search=/);
    assert.equal((await entries('chat=ops&principal=reader')).length, 1);
  });

  test('shows what was refused to a token that lacks the right, and to one that reads the audit log itself', async () => {
    await post(reader, 'tokens', { name: 'more', scopes: ['chat:send'] });
    const listed = await entries('', { ...OWNERS, authorization: reader.authorization ?? '' });

    const refused = await entries('principal=reader&result=refused');

    assert.deepEqual(listed, []);
    assert.deepEqual(
      refused.map(({ operation, result }) => [operation, result]),
      [
        ['audit list', 'FORBIDDEN'],
        ['token add', 'FORBIDDEN'],
      ],
    );
    assert.match(refused[1]?.reason ?? '', /system:manage/);
    assert.deepEqual(refused[1]?.object, { name: 'more' });
  });

  test('a client that tries tokens and foreign origins is recorded, and cannot fill the log', async () => {
    for (let n = 0; n < 50; n += 1) await fetch(url('sources'), { headers: { authorization: `Bearer guess-${n}` } });
    await fetch(url('sources'));
    await new Promise((resolve, reject) => {
      const headers = { ...OWNERS, origin: 'https://evil.example' };
      httpRequest(url('sources'), { headers }, (response) => response.resume().once('end', resolve))
        .once('error', reject)
        .end();
    });

    const refused = (await entries('result=refused')).filter(({ door }) => door === 'http');

    assert.deepEqual(
      refused.map(({ result, reason }) => [result, reason]),
      [
        ['FORBIDDEN', 'The Host or Origin of the request is not allowed.'],
        ['UNAUTHORIZED', 'The request had no token.'],
        ['UNAUTHORIZED', 'The token is not known.'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(await entries('limit=1000')), /guess-/);
  });

  test('is paged, shown one by one, and shown by commands', async () => {
    const answer = await fetch(url('audit?limit=2'), { headers: OWNERS });
    const first = (await answer.json()) as { entries: Entry[]; next_cursor: string };
    const second = await entries(`limit=2&cursor=${first.next_cursor}`);
    const id = first.entries[1]?.id ?? '';

    const shown = JSON.parse((await runProgram(['audit', 'show', id, '--json'], { home })).stdout);
    const listed = await runProgram(['audit', 'list', '--result', 'refused', '--principal', 'reader'], { home });
    const missing = await runProgram(['audit', 'show', '999999999'], { home });

    assert.ok(Number(second[0]?.id) < Number(id));
    assert.equal(shown.id, id);
    assert.match(listed.stdout, /token add/);
    assert.equal(missing.code, 1);
  });

  test('tail shows a call when it is made', { timeout: 60_000 }, async (context) => {
    const tail = startProgram(['audit', 'tail', '--json', '--operation', 'token list'], { home });
    context.after(() => tail.kill('SIGTERM'));
    let shown = '';
    tail.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
    });

    while (!shown.includes('token list')) await fetch(url('tokens'), { headers: OWNERS });

    assert.match(shown, /"principal": ?"owner"/);
  });
});
