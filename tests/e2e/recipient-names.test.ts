import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { writeConfig } from '../support/chat/live-home.ts';
import { startHomeserver } from '../support/matrix/homeserver.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';

describe('attack: a partner whose display name is an allowed chat’s id', { timeout: 120_000 }, () => {
  const home = join(temporaryFolder(after), 'home');
  let matrix: Awaited<ReturnType<typeof startHomeserver>>;
  let program: Awaited<ReturnType<typeof startHttp>>;
  /** The room of the team, and that of a partner who has called it by the id of the former. */
  let team: string;
  let partner: string;

  before(async () => {
    matrix = await startHomeserver();
    const { model } = matrix;
    const alice = model.addUser('alice', 'pw-alice', 'Alice');
    const mallory = model.addUser('mallory', 'pw-mallory', 'Mallory');
    team = model.createRoom(alice, { name: 'Team' });
    partner = model.createRoom(mallory, { name: team, members: [alice] });
    model.createRoom(mallory, { name: 'Twins', members: [alice] });
    model.createRoom(mallory, { name: 'twins', members: [alice] });
    model.append(partner, { type: 'm.room.message', sender: mallory, content: { msgtype: 'm.text', body: 'hello' } });
    configure([team]);
    program = await startHttp({ home });
    await until('the rooms are known', async () => (await chats()).length === 4);
  });

  after(async () => {
    await program.stop();
    await matrix.close();
  });

  function configure(allowed: readonly string[]): void {
    writeConfig(home, {
      auth: { token: OWNER },
      policy: { allowed_recipients: allowed },
      sources: {
        work: { kind: 'matrix', homeserver: matrix.url, user: '@alice:hs.test', password: 'pw-alice' },
        mute: { kind: 'webhook' },
      },
    });
  }

  async function request(path: string, body?: object, token = OWNER) {
    const answer = await fetch(`${program.base}/api/v1${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of several operations
    return { status: answer.status, body: (await answer.json()) as any };
  }

  const chats = async () => ((await request('/sources/work/chats')).body.chats ?? []) as { id: string; name: string }[];
  const send = (chat: string, text: string, token?: string) => request('/sources/work/send', { chat, text }, token);
  const received = (text: string) => matrix.requests.filter(({ body }) => body.includes(text)).length;

  async function newToken(name: string, ...options: string[]): Promise<string> {
    const { stdout, stderr } = await runProgram(['token', 'add', name, '--json', ...options], { home });
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout).token;
  }

  test('does not receive a message that only the chat with this id may receive', async () => {
    const refused = await send(partner, 'confidential');
    const allowed = await send(team, 'to the team');

    assert.deepEqual([refused.status, refused.body.error?.code], [403, 'FORBIDDEN']);
    assert.equal(allowed.body.status, 'sent');
    assert.deepEqual([received('confidential'), received('to the team')], [0, 1]);
  });

  test('is not read, nor written to, by a token for the chat with this id', async () => {
    const token = await newToken('confined', '--scopes', 'chat:read,chat:send', '--chats', `work:${team}`);

    const seen = await request('/sources/work/chats', undefined, token);
    const messages = await request('/messages', undefined, token);
    const refused = await send(partner, 'confidential', token);

    assert.deepEqual(
      seen.body.chats.map(({ id }: { id: string }) => id),
      [team],
    );
    assert.doesNotMatch(JSON.stringify(messages.body), /hello/);
    assert.ok(refused.status >= 400);
    assert.equal(received('confidential'), 0);
  });

  test('cannot get a token that is granted a chat by name to read a second chat of that name', async () => {
    const one = await newToken('by-name', '--scopes', 'chat:read', '--chats', 'work:name:Team');
    const two = await newToken('by-twins', '--scopes', 'chat:read', '--chats', 'work:name:Twins');

    const [unique, twins] = [
      await request('/sources/work/chats', undefined, one),
      await request('/sources', undefined, two),
    ];

    assert.deepEqual(
      unique.body.chats.map(({ id }: { id: string }) => id),
      [team],
    );
    assert.deepEqual(twins.body, { sources: [] });
  });

  test('is refused where a policy allows by name and two chats fit; doctor warns of names', async () => {
    configure(['name:Team', 'work:name:Twins', 'Twins', 'mute:x']);
    const twins = (await chats()).filter(({ name }) => name.toLowerCase() === 'twins');

    await until('the policy applies', async () => (await send(team, 'by name')).status === 200);
    const refused = await Promise.all(twins.map(({ id }) => send(id, 'confidential')));
    const { stdout } = await runProgram(['doctor', '--json'], { home });

    assert.deepEqual(
      refused.map(({ status }) => status),
      [403, 403],
    );
    assert.equal(received('confidential'), 0);
    const findings = JSON.parse(stdout).checks.filter(({ check }: { check: string }) => check === 'recipients');
    const texts = findings.map(({ says }: { says: string }) => says).join('\n');
    assert.match(texts, /names a chat by its name \(name:Team\)/);
    assert.match(texts, /names a chat by its name \(work:name:Twins\)/);
    assert.match(texts, /policy\.allowed_recipients: Twins means the chat with this id/);
    assert.doesNotMatch(texts, /mute:x/);
  });
});
