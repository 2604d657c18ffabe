import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { startAgent } from '../support/agentmail/clients.ts';
import { createMailWorld } from '../support/agentmail/program.ts';
import { emailText, idOf, startEmailHome } from '../support/email/email-home.ts';
import { readSse } from '../support/http/sse-reader.ts';
import { eventIn } from '../support/mcp/rpc-message.ts';
import { until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const UPDATED = 'notifications/resources/updated';
const world = createMailWorld(after, temporaryFolder(after));
const home = await startEmailHome(
  after,
  { work: { user: 'alice', settings: { name: 'Work' } }, personal: { user: 'bob' } },
  { configuration: { sources: { hook: { kind: 'webhook', name: 'Team chat' } } } },
);
const { server } = home;
const NOON = Date.parse('2026-11-10T12:00:00Z');

/** An email of the conversation about the roof. */
function roof(
  number: number,
  { subject = 'Re: The roof', user = 'alice', answers = number - 1, from = 'Zoe <zoe@elsewhere.test>' } = {},
) {
  const at = NOON + number * 60_000;
  server.deliver(
    user,
    emailText({
      subject,
      from,
      id: `roof-${number}@elsewhere.test`,
      body: `Roof, part ${number}.`,
      header: [
        `Date: ${new Date(at).toUTCString()}`,
        ...(answers > 0
          ? [`In-Reply-To: <roof-${answers}@elsewhere.test>`, `References: <roof-${answers}@elsewhere.test>`]
          : []),
      ],
    }),
    { receivedAt: at },
  );
}

roof(1, { subject: 'The roof' });
roof(2, { from: 'Yan <yan@builders.test>' });
roof(3, { subject: 'AW: The roof' });
server.deliver(
  'alice',
  emailText({ subject: 'The roof', body: 'Another roof, by chance of the same name.', from: 'Xi <xi@far.test>' }),
);
roof(1, { user: 'bob', subject: 'The roof' });
await home.synced();
const posted = await home.rest('POST', '/sources/hook/messages', [
  { chat: 'builders', sender: 'Yan', text: 'The roof leaks' },
] as object);
assert.equal(posted.status, 200, JSON.stringify(posted.body));
const all = await home.client();

interface MessageSeen {
  id: string;
  source: string;
  chat_id: string;
  chat: string;
  content: string;
  sender: string;
}
const messagesOf = ({ messages }: JsonObject) => messages as unknown as MessageSeen[];
const contents = (answer: JsonObject) => messagesOf(answer).map(({ content }) => content.trim());
const threadOf = async (query: string) =>
  (await all.call('read_email', { message_id: await idOf(all, query) })).thread_id as string;

describe('emails among the conversations', { timeout: 120_000 }, () => {
  test('EMAIL-05 search_messages finds chats, mail of all accounts and letters in one list', async () => {
    world.server.addWindow('a2');
    const agent = await startAgent(world, { home: home.home, pane: world.server.first });
    await agent.tool('send', { recipient: 'a2', message: 'The roof is done' });
    await agent.shim.stop();

    let found: MessageSeen[] = [];
    await until('the letter is found', async () => {
      found = messagesOf(await all.call('search_messages', { query: 'roof' }));
      return found.some(({ source }) => source === 'agentmail');
    });
    const byCommand = await home.json('search', 'roof');
    const mailOnly = messagesOf(await all.call('search_messages', { query: 'roof source:email' }));

    assert.deepEqual([...new Set(found.map(({ source }) => source))].sort(), ['agentmail', 'hook', 'personal', 'work']);
    assert.deepEqual(
      messagesOf(byCommand).map(({ id }) => id),
      found.map(({ id }) => id),
    );
    assert.ok(mailOnly.every(({ source }) => source === 'work' || source === 'personal'));
    assert.equal(mailOnly.length, 5);
  });

  test('EMAIL-07 a thread is a chat: get_messages and list_chats show it, REST and the command line too', async () => {
    const thread = await threadOf('"part 3"');

    const answers = [
      await all.call('get_messages', { source: 'work', chat: thread }),
      (await home.rest('GET', `/sources/work/messages?chat=${thread}`)).body,
      await home.json('chat', 'messages', `work:${thread}`),
    ];
    const { chats } = await all.call('list_chats', { source: 'work' });

    for (const answer of answers)
      assert.deepEqual(contents(answer), ['Roof, part 3.', 'Roof, part 2.', 'Roof, part 1.']);
    assert.equal((chats as JsonObject[]).length, 2, 'an email of the same subject without references is another one');
    assert.partialDeepStrictEqual(
      (chats as JsonObject[]).find(({ id }) => id === thread),
      { name: 'The roof', type: 'thread' },
    );
  });

  test('EMAIL-07 get_thread of an email has what it answers and its answers, oldest first', async () => {
    const answer = await all.call('get_thread', { message_id: await idOf(all, '"part 2"'), before: 0, after: 0 });

    assert.deepEqual(contents(answer), ['Roof, part 1.', 'Roof, part 2.', 'Roof, part 3.']);
  });

  test('EMAIL-07 the resource of a thread is the conversation, oldest first', async () => {
    const uri = `messages://work/${await threadOf('"part 3"')}`;

    const { result } = await all.rpc('resources/read', { uri });

    const [{ text = '' } = {}] = (result?.contents ?? []) as { text?: string }[];
    assert.match(text, /Zoe.*Roof, part 1\..*Yan.*Roof, part 2\..*Zoe.*Roof, part 3\./s);
  });

  test('EMAIL-07 a subscription to a thread tells of each new email in it, and of no other', async () => {
    const uri = `messages://work/${await threadOf('"part 3"')}`;
    await all.rpc('resources/subscribe', { uri });

    server.deliver('alice', emailText({ subject: 'Something else' }));
    roof(4);
    const told = await all.messages.notified(UPDATED);
    await all.rpc('resources/unsubscribe', { uri });

    assert.equal(told.params?.uri, uri);
    assert.partialDeepStrictEqual(eventIn(told), {
      type: 'message.received',
      source: 'work',
      chat: 'The roof',
      sender: 'Zoe',
    });
    assert.match(String(eventIn(told).content), /^Roof, part 4\./);
  });

  test('EMAIL-07 a subscription to an account, and the stream of events, tell of mail as it arrives', async (context: TestContext) => {
    await all.rpc('resources/subscribe', { uri: 'messages://personal/*' });
    const events = await readSse(context, new URL('/api/v1/events?types=message.', home.url()).href);

    server.deliver('bob', emailText({ subject: 'Fresh', to: 'bob@example.test', body: 'Just now.' }));
    const told = await all.messages.notified(UPDATED);
    const [event] = await events.take(1);
    await all.rpc('resources/unsubscribe', { uri: 'messages://personal/*' });

    assert.partialDeepStrictEqual(eventIn(told), { source: 'personal', chat: 'Fresh' });
    assert.partialDeepStrictEqual(event?.data, {
      type: 'message.received',
      data: { source: 'personal', chat: 'Fresh' },
    });
  });

  test('EMAIL-05 what arrives is searchable when the subscriber is told', async () => {
    await all.rpc('resources/subscribe', { uri: 'messages://work/*' });

    server.deliver('alice', emailText({ subject: 'Searchable', body: 'A hippopotamus.' }));
    await all.messages.notified(UPDATED);
    const found = await all.call('search_emails', { query: 'hippopotamus' });
    await all.rpc('resources/unsubscribe', { uri: 'messages://work/*' });

    assert.equal((found.emails as unknown[]).length, 1);
  });

  test('EMAIL-13 send_message does not send emails, and says what does', async () => {
    const refused = await all.refusal('send_message', { source: 'work', chat: 'The roof', text: 'hello' });

    assert.match(`${refused.message} ${refused.hint}`, /send_email/);
  });
});
