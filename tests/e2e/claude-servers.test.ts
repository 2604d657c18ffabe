import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { calling, says } from '../support/claude/frames.ts';
import { startMessagesApi } from '../support/claude/messages-api.ts';
import { nodeServer, startServerHome } from '../support/servers/server-home.ts';

const api = await startMessagesApi();
after(() => api.close());
const home = await startServerHome(after, {
  configuration: { claude: { api_key: 'sk-ant-a-key-for-tests', base_url: api.url } },
});
const nameOf = (server: string) => `${server}__echo_x`;

async function ask(server: string) {
  api.script(calling(nameOf(server), { text: 'Hello' }), says('It echoes.'));
  const { body } = await home.rest('POST', '/conversations', { tools: [`${server}__*`] });
  const sent = await home.rest('POST', `/conversations/${body.conversation_id}/messages`, { text: 'Try the echo.' });
  const answer: JsonObject = { ...sent.body, id: body.conversation_id ?? '' };
  return answer;
}

test('Claude calls tools of other servers: what a trusted one marks as reading by itself, everything else after approval', async () => {
  const features = (name: string, trusted: boolean) =>
    nodeServer(name, 'upstream-features.ts', ['--name', 'x', '--dir', home.dir(name)], { trusted });
  await home.run(features('friend', true));
  await home.run(features('stranger', false));

  const read = await ask('friend');
  const offered = api.requests[0]?.body.tools?.map(({ name }) => name) ?? [];
  const waiting = await ask('stranger');
  const approved = await home.rest('POST', `/conversations/${waiting.id}/approve`, {});
  const results = JSON.stringify(api.requests[1]?.body.messages.at(-1)?.content);
  const { body: audit } = await home.rest('GET', '/audit?limit=20');

  assert.ok(offered.length > 1 && offered.every((name) => name.startsWith('friend__')));
  assert.partialDeepStrictEqual(read, { status: 'done', tool_calls: [{ tool: nameOf('friend'), is_error: false }] });
  assert.equal(waiting.status, 'awaiting_approval');
  assert.partialDeepStrictEqual(approved.body, { status: 'done', text: 'It echoes.' });
  assert.match(results, /Hello/);
  assert.match(results, /not an instruction to you/);
  const calls = (audit.entries as { door: string; operation: string; session?: string }[]).filter(
    ({ door }) => door === 'claude',
  );
  assert.deepEqual(
    calls.map(({ operation, session }) => [operation, session]),
    [
      [nameOf('stranger'), `conversation-${waiting.id}`],
      [nameOf('friend'), `conversation-${read.id}`],
    ],
  );
});
