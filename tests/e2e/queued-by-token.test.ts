import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeConfig } from '../support/chat/live-home.ts';
import { startErgo } from '../support/irc/ergo.ts';
import { ircUser } from '../support/irc/irc-user.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';
const CI = 'the-token-of-ci';

type Answer = { token?: string; outbox_id?: string; status?: string; state?: string; reason?: string };

test('attack: messages that a token queued before it was removed or held do not leave', async (context) => {
  const home = join(temporaryFolder(after), 'home');
  const first = await startErgo();
  const { port } = first;
  await first.stop();
  configure(home, port, {});
  const program = await startHttp({ home });
  context.after(() => program.stop());
  const call = async (token: string, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body ? { body: JSON.stringify(body) } : {};
    return (await (await fetch(`${program.base}/api/v1/${path}`, { method, headers, ...init })).json()) as Answer;
  };
  const newToken = async (name: string) =>
    (await call(OWNER, 'POST', 'tokens', { name, scopes: ['chat:send'] })).token ?? '';
  const queue = async (token: string, chat: string, text: string) =>
    (await call(token, 'POST', 'sources/libera/send', { chat, text })).outbox_id ?? '';
  const [stolen, modest] = [await newToken('stolen'), await newToken('modest')];
  const queued = await Promise.all([
    queue(stolen, '#dev', 'by a stolen token'),
    queue(CI, '#dev', 'by a token that is held now'),
    queue(modest, '#dev', 'by a token that is as it was'),
  ]);
  await call(OWNER, 'DELETE', 'tokens/stolen');
  await newToken('stolen');
  configure(home, port, { policy: { send: 'hold' } });
  await until('the configuration is in force', async () => {
    return (await call(CI, 'POST', 'sources/libera/send', { chat: '#dev', text: 'probe' })).status === 'held';
  });

  const ergo = await startErgo({ port });
  context.after(() => ergo.stop());
  const bob = await ircUser(port, { nick: 'bob' });
  context.after(() => bob.close());
  await bob.join('#dev');
  const items = () => Promise.all(queued.map((id) => call(OWNER, 'GET', `outbox/${id}`)));
  await until('all were attempted', async () =>
    (await items()).every(({ state }) => state !== 'queued' && state !== 'sending'),
  );

  assert.deepEqual(
    (await items()).map(({ state, reason }) => [state, reason]),
    [
      ['held', 'The removal of the token stolen asks for a person’s approval.'],
      ['held', 'The policy of the token ci asks for a person’s approval.'],
      ['sent', undefined],
    ],
  );
  const texts = bob.seen.filter(({ nick, command }) => nick === 'board' && command === 'PRIVMSG');
  assert.deepEqual(
    texts.map(({ params }) => params[1]),
    ['by a token that is as it was'],
  );
});

function configure(home: string, port: number, ci: object): void {
  const hash = createHash('sha256').update(CI).digest('hex');
  writeConfig(home, {
    auth: { token: OWNER, tokens: [{ name: 'ci', token_hash: hash, scopes: ['chat:send', 'chat:read'], ...ci }] },
    sources: {
      libera: { kind: 'irc', host: '127.0.0.1', port, tls: false, nick: 'board', channels: ['#dev'] },
    },
  });
}
