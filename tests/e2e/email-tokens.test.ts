import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { emailText, headerField, idOf, startEmailHome, subjectsOf } from '../support/email/email-home.ts';
import { readSse } from '../support/http/sse-reader.ts';
import { openSession } from '../support/mcp/rpc-http.ts';
import { type ToolClient, toolClient } from '../support/mcp/tool-client.ts';

const OWNER = 'the-owner-of-this-machine';
const home = await startEmailHome(
  after,
  { work: { user: 'alice' }, personal: { user: 'bob' } },
  {
    configuration: { auth: { token: OWNER }, sources: { hook: { kind: 'webhook' } } },
    options: { users: ['alice', 'bob', 'carol'] },
  },
);
const { server } = home;
/** In everything that a token may not see. */
const SECRET = 'canary';
server.deliver('alice', emailText({ subject: 'Open thread', id: 'open@elsewhere.test', body: 'For everyone' }));
server.deliver(
  'alice',
  emailText({ subject: `A ${SECRET}`, from: `${SECRET} <${SECRET}@far.test>`, body: `The ${SECRET} sings` }),
);
server.deliver('bob', emailText({ subject: `Personal ${SECRET}`, to: 'bob@example.test', body: `Another ${SECRET}` }));
await home.synced(OWNER);
await home.rest(
  'POST',
  '/sources/hook/messages',
  [{ chat: 'dev', sender: 'ada', text: 'A chat message' }] as object,
  OWNER,
);
const owner = await home.client();
const [open, hidden, personal] = [
  await idOf(owner, 'subject:"Open thread"'),
  await idOf(owner, `subject:"A ${SECRET}"`),
  await idOf(owner, `subject:"Personal ${SECRET}"`),
];
const threadOf = async (message: string) => String((await owner.call('read_email', { message_id: message })).thread_id);
const [openThread, hiddenThread] = [await threadOf(open), await threadOf(hidden)];
const hiddenDraft = String((await owner.call('reply_to_email', { message_id: hidden, body: 'x' })).draft_id);

async function newToken(name: string, scopes: readonly string[], grants: object = {}): Promise<string> {
  const { status, body } = await home.rest('POST', '/tokens', { name, scopes, ...grants }, OWNER);
  assert.equal(status, 200, JSON.stringify(body));
  return String(body.token);
}

/** A client of the combined endpoint with this token. */
async function connect(token: string): Promise<ToolClient & { rpc: Session['call']; session: Session }> {
  const session = await openSession(home.url(), { authorization: `Bearer ${token}` });
  return { ...toolClient(session.call), rpc: session.call, session };
}
type Session = Awaited<ReturnType<typeof openSession>>;

async function toolsOf({ rpc }: { rpc: Session['call'] }): Promise<string[]> {
  const { result } = await rpc('tools/list');
  return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name).sort();
}

const errorOf = ({ body }: { body: JsonObject }) => (body.error as JsonObject | undefined)?.code;
const count = (user: string, subject: string, folder?: string) =>
  server.folderOf(user, folder).filter(({ raw }) => headerField(raw, 'Subject') === subject).length;
const note = (subject: string, more: object = {}) => ({
  to: 'carol@example.test',
  subject,
  body: 'x',
  account: 'work',
  ...more,
});

describe('a token with the scope email:read', { timeout: 120_000 }, () => {
  test('EMAIL-05 EMAIL-07 searches and reads, and finds nothing that changes or sends', async () => {
    const token = await newToken('reader', ['email:read']);
    const client = await connect(token);

    const found = await client.call('search_emails', { query: 'everyone' });
    const read = await client.call('read_email', { message_id: open });
    const routes = {
      '/emails/send': note('By a reader'),
      '/emails/drafts': note('By a reader'),
      '/emails/mark-read': { message_ids: open },
      '/emails/delete': { message_ids: open },
      [`/emails/${open}/reply`]: { body: 'x' },
    };

    assert.deepEqual(await toolsOf(client), [
      'list_accounts',
      'list_drafts',
      'list_folders',
      'read_email',
      'search_emails',
    ]);
    assert.deepEqual([subjectsOf(found), read.subject], [['Open thread'], 'Open thread']);
    for (const [path, body] of Object.entries(routes)) {
      const answer = await home.rest('POST', path, body, token);
      assert.deepEqual([answer.status, errorOf(answer)], [403, 'FORBIDDEN'], path);
    }
    await server.smtp.delivered();
    assert.deepEqual([count('carol', 'By a reader'), count('alice', 'By a reader', 'Drafts')], [0, 0]);
    assert.deepEqual(
      server.folderOf('alice').flatMap(({ flags }) => flags),
      [],
    );
  });

  test('EMAIL-12 with email:write drafts are possible, and only email:send sends', async () => {
    const [writer, sender] = [await newToken('writer', ['email:write']), await newToken('sender', ['email:send'])];

    const draft = await home.rest('POST', '/emails/drafts', note('By a writer'), writer);
    const refused = await home.rest('POST', '/emails/send', { draft_id: draft.body.draft_id }, writer);
    const unread = await home.rest('GET', '/emails', undefined, writer);
    const sent = await home.rest('POST', '/emails/send', { draft_id: draft.body.draft_id }, sender);

    assert.deepEqual([draft.status, refused.status, unread.status], [200, 403, 403]);
    assert.equal(sent.body.status, 'sent', JSON.stringify(sent.body));
  });
});

describe('a token without email:read', { timeout: 120_000 }, () => {
  test('EMAIL-07 sees no mail through chats, searches, threads, resources, completion and events', async (context) => {
    const token = await newToken('chatter', ['chat:read', 'outbox:read', 'system:read']);
    const client = await connect(token);
    const headers = { authorization: `Bearer ${token}` };
    const events = await readSse(context, new URL('/api/v1/events?types=message.', home.url()).href, headers);
    const listening = await client.session.listen();
    context.after(() => listening.close());
    await client.rpc('resources/subscribe', { uri: 'messages://*/*' });
    const ref = { type: 'ref/resource', uri: 'messages://{source}/{chat}' };

    const answers = [
      await client.call('list_sources'),
      await client.call('get_messages', {}),
      await client.call('search_messages', { query: `${SECRET} OR everyone OR message` }),
      (await home.rest('GET', '/outbox?all=true', undefined, token)).body,
      (await client.rpc('completion/complete', { ref, argument: { name: 'source', value: '' } })).result,
      (await client.rpc('completion/complete', { ref, argument: { name: 'chat', value: '' } })).result,
      (await client.rpc('resources/list')).result,
    ];
    const refused = [
      await client.refusal('get_messages', { source: 'work' }),
      await client.refusal('list_chats', { source: 'work' }),
      await client.refusal('get_thread', { message_id: open }),
    ];
    const read = await client.rpc('resources/read', { uri: `messages://work/${openThread}` });
    server.deliver('alice', emailText({ subject: `Live ${SECRET}` }));
    await home.synced(OWNER);
    await home.rest(
      'POST',
      '/sources/hook/messages',
      [{ chat: 'dev', sender: 'ada', text: 'The last word' }] as object,
      OWNER,
    );
    const told = await listening.messages.notified('notifications/resources/updated');

    assert.doesNotMatch(JSON.stringify(answers), /canary|work|personal|Open thread|everyone/);
    assert.match(JSON.stringify(answers), /A chat message/);
    assert.deepEqual(
      refused.map(({ code }) => code),
      ['SOURCE_NOT_FOUND', 'SOURCE_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
    );
    assert.ok(read.error);
    assert.match(JSON.stringify(told), /The last word/);
    assert.match(JSON.stringify(await events.take(1)), /The last word/);
    assert.deepEqual(
      (await toolsOf(client)).filter((name) => name.includes('email')),
      [],
    );
  });
});

const ALL = ['email:read', 'email:write', 'email:send', 'chat:read'];

describe('a token that is confined to one thread', { timeout: 120_000 }, () => {
  test('EMAIL-05 EMAIL-07 finds and reads that thread by the tools of chat and of email, and nothing else', async () => {
    const client = await connect(await newToken('confined', ALL, { chats: [`work:${openThread}`] }));

    const answers = [
      await client.call('list_accounts'),
      await client.call('search_emails', {}),
      await client.call('search_emails', { query: `${SECRET} OR everyone`, folder: 'inbox' }),
      await client.call('search_messages', { query: `${SECRET} OR everyone` }),
      await client.call('get_messages', {}),
      await client.call('list_chats', { source: 'work' }),
      await client.call('list_folders'),
      await client.call('list_drafts'),
    ];
    const read = await client.call('read_email', { message_id: open });
    const refused = [
      await client.refusal('read_email', { message_id: hidden }),
      await client.refusal('read_email', { message_id: personal }),
      await client.refusal('search_emails', { account: 'personal' }),
      await client.refusal('get_messages', { source: 'work', chat: hiddenThread }),
    ];

    assert.deepEqual(
      ((answers[0]?.accounts ?? []) as JsonObject[]).map(({ id }) => id),
      ['work'],
    );
    assert.deepEqual(subjectsOf(answers[1] ?? {}), ['Open thread']);
    assert.deepEqual(subjectsOf(answers[2] ?? {}), ['Open thread']);
    assert.equal(read.subject, 'Open thread');
    assert.deepEqual([answers[6]?.folders, answers[7]?.drafts], [[], []], 'they are about the whole account');
    assert.doesNotMatch(JSON.stringify([answers, refused]), /canary|bob@example/);
    assert.deepEqual(
      refused.map(({ code }) => code),
      ['MESSAGE_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'CHAT_NOT_FOUND'],
    );
  });

  test('EMAIL-12 EMAIL-17 EMAIL-18 changes and sends nothing else', async () => {
    const client = await connect(await newToken('confined-writer', ALL, { chats: [`work:${openThread}`] }));
    const before = server.folderOf('alice', 'Drafts').length;

    const refused = {
      mark_read: await client.refusal('mark_read', { message_ids: [hidden, personal] }),
      delete_email: await client.refusal('delete_email', { message_ids: hidden, permanent: true }),
      reply_to_email: await client.refusal('reply_to_email', { message_id: hidden, body: 'x' }),
      forward_email: await client.refusal('forward_email', { message_id: personal, to: 'carol@example.test' }),
      save_attachment: await client.refusal('save_attachment', { message_id: hidden }),
      compose_email: await client.refusal('compose_email', note('Confined')),
      send_email: await client.refusal('send_email', note('Confined')),
      sending_a_draft: await client.refusal('send_email', { draft_id: hiddenDraft }),
      update_draft: await client.refusal('update_draft', { draft_id: hiddenDraft, body: 'changed' }),
      delete_draft: await client.refusal('delete_draft', { draft_id: hiddenDraft }),
    };
    const preview = await client.call('update_emails', { action: 'trash', query: SECRET });
    const marked = await client.call('mark_read', { message_ids: open });
    const reply = await client.call('reply_to_email', { message_id: open, body: 'An answer in the thread' });
    const sending = await client.refusal('send_email', { draft_id: reply.draft_id });

    assert.deepEqual(
      Object.values(refused).map(({ code }) => code),
      [
        ...Array(5).fill('MESSAGE_NOT_FOUND'),
        'ACCOUNT_NOT_FOUND',
        'ACCOUNT_NOT_FOUND',
        ...Array(3).fill('DRAFT_NOT_FOUND'),
      ],
    );
    assert.doesNotMatch(JSON.stringify(refused), /canary|bob@example/);
    assert.deepEqual([preview.matched, marked.updated, sending.code], [0, 1, 'FORBIDDEN']);
    assert.equal(server.folderOf('alice', 'Drafts').length, before + 1, 'the answer, which the person may send');
    assert.equal(server.folderOf('alice', 'Sent').length, count('alice', 'By a writer', 'Sent'));
  });
});

describe('a token for one account', { timeout: 120_000 }, () => {
  test('EMAIL-10 EMAIL-12 uses it as if there were no other', async () => {
    const client = await connect(await newToken('of-work', ALL, { chats: ['work:*'] }));

    const { accounts } = await client.call('list_accounts');
    const draft = await client.call('compose_email', {
      to: 'carol@example.test',
      subject: 'Of one account',
      body: 'x',
    });
    const sent = await client.call('send_email', { draft_id: draft.draft_id });
    const refused = [
      await client.refusal('read_email', { message_id: personal }),
      await client.refusal('compose_email', note('x', { account: 'personal' })),
      await client.refusal('send_email', note('x', { attachments: ['work/1/file.pdf'] })),
    ];
    const folders = await client.call('list_folders');

    assert.deepEqual(
      (accounts as JsonObject[]).map(({ id }) => id),
      ['work'],
    );
    assert.deepEqual([draft.account, sent.status], ['work', 'sent']);
    assert.deepEqual(
      refused.map(({ code }) => code),
      ['MESSAGE_NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'FORBIDDEN'],
    );
    assert.ok((folders.folders as JsonObject[]).every(({ account }) => account === 'work'));
    assert.ok((folders.folders as JsonObject[]).length > 0);
  });

  test('EMAIL-12 may be limited to some recipients', async () => {
    const client = await connect(
      await newToken('to-carol', ALL, { chats: ['work:*'], send_chats: ['work:carol@example.test'] }),
    );

    const sent = await client.call('send_email', note('To Carol'));
    const refused = await client.refusal('send_email', note('To Bob', { cc: 'bob@example.test' }));

    assert.deepEqual([sent.status, refused.code, refused.field], ['sent', 'FORBIDDEN', 'to']);
    await server.smtp.delivered();
    assert.deepEqual([count('carol', 'To Carol'), count('bob', 'To Bob')], [1, 0]);
  });
});
