import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { AppError } from '../../../domain/errors.ts';
import { slack } from './importer.ts';

const USERS = [
  { id: 'U1', name: 'ada', profile: { display_name: 'Ada', real_name: 'Ada L.' } },
  { id: 'U2', name: 'bob', real_name: 'Bob &amp; Son', profile: { display_name: '', real_name: 'Bob &amp; Son' } },
  { id: 'U3', name: 'cy', deleted: true },
];
const CHANNELS = [{ id: 'C1', name: 'general', members: ['U1', 'U2', 'U2'], previous_names: ['lobby'] }];

function exportOf(files: Record<string, unknown>, lists: Record<string, unknown> = {}) {
  const all = { 'users.json': USERS, 'channels.json': CHANNELS, ...lists, ...files };
  return archiveOf(Object.fromEntries(Object.entries(all).map(([name, value]) => [name, JSON.stringify(value)])));
}

describe('a Slack export', () => {
  test('contains messages with chat, sender, time and id', async () => {
    const archive = exportOf({
      'general/2024-06-13.json': [{ type: 'message', user: 'U1', ts: '1718275523.000005', text: 'hi' }],
    });

    const { messages, skipped, items } = await readOpened(slack, archive);

    assert.deepEqual(messages, [
      {
        chat: { id: 'C1', name: 'general', type: 'channel', participantCount: 2 },
        id: '1718275523.000005',
        sender: { id: 'U1', name: 'Ada' },
        text: 'hi',
        contentType: 'text',
        at: 1_718_275_523_000,
      },
    ]);
    assert.deepEqual(skipped, []);
    const last = items.findLast((item) => item.kind === 'progress');
    assert.ok(last && last.done === last.total);
  });

  test('has channels, private channels, groups and direct chats; groups and direct chats are named after their members', async () => {
    const one = [{ type: 'message', user: 'U1', ts: '1718275523.000005', text: 'hi' }];
    const archive = exportOf(
      {
        'secret/2024-06-13.json': one,
        'mpdm-ada--bob--cy-1/2024-06-13.json': one,
        'D1/2024-06-13.json': one,
        'D2/2024-06-13.json': one,
        'lobby/2024-06-13.json': one,
        'forgotten/2024-06-13.json': one,
      },
      {
        'groups.json': [{ id: 'G1', name: 'secret', members: ['U1'] }],
        'mpims.json': [{ id: 'G2', name: 'mpdm-ada--bob--cy-1', members: ['U1', 'U2', 'U3'] }],
        'dms.json': [
          { id: 'D1', members: ['U1', 'U2'] },
          { id: 'D2', members: ['U1'] },
        ],
      },
    );

    const { messages } = await readOpened(slack, archive, { me: 'ada' });

    assert.deepEqual(
      messages.map(({ chat, isOwn }) => [chat.id, chat.name, chat.type, isOwn]),
      [
        ['D1', 'Bob & Son', 'direct', true],
        ['D2', 'Ada', 'direct', true],
        ['forgotten', 'forgotten', 'channel', true],
        ['C1', 'general', 'channel', true],
        ['G2', 'Bob & Son, cy', 'group', true],
        ['G1', 'secret', 'channel', true],
      ],
    );
  });

  test('names all members of a direct chat if the user is unknown', async () => {
    const archive = exportOf(
      { 'D1/2024-06-13.json': [{ user: 'U1', ts: '1718275523.000005', text: 'hi' }] },
      { 'dms.json': [{ id: 'D1', members: ['U1', 'U2'] }] },
    );

    const { messages } = await readOpened(slack, archive);

    assert.equal(messages[0]?.chat.name, 'Ada, Bob & Son');
    assert.equal(messages[0]?.isOwn, undefined);
  });

  test('has replies to the first message of a thread, also from the file of another day', async () => {
    const archive = exportOf({
      'general/2024-06-13.json': [
        { user: 'U1', ts: '1718275523.000005', thread_ts: '1718275523.000005', text: 'question' },
      ],
      'general/2024-06-14.json': [
        { user: 'U2', ts: '1718361923.000100', thread_ts: '1718275523.000005', text: 'answer' },
        {
          user: 'U2',
          ts: '1718361924.000100',
          thread_ts: '1718275523.000005',
          subtype: 'thread_broadcast',
          text: 'loud',
        },
      ],
    });

    const { messages } = await readOpened(slack, archive);

    assert.deepEqual(
      messages.map(({ text, replyTo }) => [text, replyTo]),
      [
        ['question', undefined],
        ['answer', '1718275523.000005'],
        ['loud', '1718275523.000005'],
      ],
    );
  });

  test('has senders that are bots, users of other workspaces, unknown users or missing', async () => {
    const archive = exportOf({
      'general/2024-06-13.json': [
        { subtype: 'bot_message', bot_id: 'B1', username: 'CI &lt;main&gt;', ts: '1.1', text: 'built' },
        { bot_id: 'B2', bot_profile: { name: 'Deploy' }, ts: '1.2', text: 'deployed' },
        { user: 'W9', user_profile: { real_name: 'Guest' }, ts: '1.3', text: 'hello' },
        { user: 'U404', ts: '1.4', text: 'who' },
        { ts: '1.5', text: 'nobody' },
      ],
    });

    const { messages } = await readOpened(slack, archive);

    assert.deepEqual(
      messages.map(({ sender }) => [sender.id, sender.name]),
      [
        ['B1', 'CI <main>'],
        ['B2', 'Deploy'],
        ['W9', 'Guest'],
        ['U404', 'U404'],
        ['slack', 'Slack'],
      ],
    );
  });

  test('has files without tokens, edits, and the reactions of each user', async () => {
    const archive = exportOf({
      'general/2024-06-13.json': [
        {
          user: 'U1',
          ts: '1718275523.000005',
          text: '',
          edited: { user: 'U1', ts: '1718275600.000000' },
          files: [
            {
              id: 'F1',
              name: 'plan.png',
              mimetype: 'image/png',
              size: 12,
              url_private: 'https://files.slack.com/files-pri/T1-F1/plan.png?t=xoxe-1-secret',
            },
            { id: 'F2', mode: 'tombstone' },
            { id: 'F3', name: 'notes', mode: 'external', url_private: 'https://docs.example.test/d?id=7', size: -1 },
          ],
          reactions: [
            { name: '+1', count: 2, users: ['U1', 'U2'] },
            { name: 'tada', count: 1, users: ['U2'] },
          ],
        },
      ],
    });

    const { events, messages } = await readOpened(slack, archive);

    assert.equal(messages[0]?.editedAt, 1_718_275_600_000);
    assert.equal(messages[0]?.contentType, 'image');
    assert.deepEqual(messages[0]?.attachments, [
      {
        type: 'image',
        name: 'plan.png',
        mime: 'image/png',
        size: 12,
        url: 'https://files.slack.com/files-pri/T1-F1/plan.png',
      },
      { type: 'file', name: 'notes', url: 'https://docs.example.test/d?id=7' },
    ]);
    assert.deepEqual(
      events.flatMap((event) => (event.kind === 'reactions' ? [[event.sender.name, event.signs]] : [])),
      [
        ['Ada', [':+1:']],
        ['Bob & Son', [':+1:', ':tada:']],
      ],
    );
  });

  test('distinguishes system messages from messages of users, and has later edits and deletions', async () => {
    const archive = exportOf({
      'general/2024-06-13.json': [
        { subtype: 'channel_join', user: 'U1', ts: '1.1', text: '<@U1> has joined the channel' },
        { subtype: 'tombstone', user: 'USLACKBOT', ts: '1.2', text: 'This message was deleted.', reply_count: 1 },
        { subtype: 'message_changed', ts: '1.3', message: { ts: '1.1', text: 'new <@U2>' } },
        { subtype: 'message_deleted', ts: '1.4', deleted_ts: '1.1' },
        { subtype: 'message_replied', ts: '1.5', message: { ts: '1.1' } },
      ],
    });

    const { events } = await readOpened(slack, archive);

    assert.deepEqual(
      events.map((event) =>
        event.kind === 'message'
          ? [event.message.contentType, event.message.text]
          : [event.kind, 'message' in event && event.message],
      ),
      [
        ['system', '@Ada has joined the channel'],
        ['text', ''],
        ['delete', '1.2'],
        ['edit', '1.1'],
        ['delete', '1.1'],
      ],
    );
  });

  test('can be in a folder of the zip, or be the folder of one channel', async () => {
    const day = JSON.stringify([{ user: 'U1', ts: '1.1', text: 'hi' }]);
    const inFolder = archiveOf({
      'My export/users.json': JSON.stringify(USERS),
      'My export/channels.json': JSON.stringify(CHANNELS),
      'My export/general/2024-06-13.json': day,
    });
    const single = archiveOf({ '2024-06-13.json': day, '2024-06-14.json': '[]' }, { path: '/exports/general' });

    const [whole, one] = await Promise.all([readOpened(slack, inFolder), readOpened(slack, single)]);

    assert.deepEqual([whole.messages[0]?.chat.id, whole.messages[0]?.sender.name], ['C1', 'Ada']);
    assert.deepEqual([one.messages[0]?.chat.id, one.messages[0]?.sender.name], ['general', 'U1']);
  });

  test('reports what follows the end of a list', async () => {
    const archive = archiveOf({
      'general/2024-06-13.json': '[{"ts":"1718272800.000100","text":"hi"}]],{"ts":"1"}',
      'x.md': '',
    });

    const { messages, skipped } = await readOpened(slack, archive);

    assert.equal(messages.length, 1);
    assert.deepEqual(skipped, [{ why: 'malformed', where: 'general/2024-06-13.json:after its end' }]);
  });

  test('loses only invalid entries, and reports their positions', async () => {
    const archive = archiveOf({
      'users.json': '{"not":"a list"}',
      'general/2024-06-13.json':
        '[{"ts":"1.1","text":"one"},{"ts":},7,{"text":"no ts"},{"ts":"soon"},{"ts":"1.2","text":"two"}]',
      'general/2024-06-14.json': '[{"ts":"2.1","text":"three"},{"ts":"2.2","te',
      'general/2024-06-15.json': 'not json',
    });

    const { messages, skipped } = await readOpened(slack, archive);

    assert.deepEqual(
      messages.map(({ text }) => text),
      ['one', 'two', 'three'],
    );
    assert.deepEqual(
      skipped.map(({ why, where }) => `${why} ${where}`),
      [
        'malformed users.json:element 1',
        'malformed general/2024-06-13.json:element 2',
        'malformed general/2024-06-13.json:element 3',
        'no_id general/2024-06-13.json:element 4',
        'no_time general/2024-06-13.json:element 5',
        'cut_off general/2024-06-14.json:element 2',
        'malformed general/2024-06-15.json:element 1',
      ],
    );
  });

  test('an error names a path in another format', async () => {
    const archive = archiveOf({ 'chat.txt': 'hello', 'other.txt': 'hello' }, { path: '/exports/chats' });

    await assert.rejects(
      readOpened(slack, archive),
      (error) => error instanceof AppError && /\/exports\/chats/.test(error.message),
    );
  });

  test('loses no valid message among invalid ones, and always gives the same result', async () => {
    const entry = fc.oneof(
      fc.json().map((json) => ({ json, ts: undefined })),
      fc
        .record({
          ts: fc.integer({ min: 1, max: 2_000_000_000 }).map((n) => `${n}.000001`),
          extra: fc.dictionary(
            fc.constantFrom(
              'user',
              'subtype',
              'files',
              'reactions',
              'edited',
              'blocks',
              'attachments',
              'thread_ts',
              'user_profile',
              'comment',
              'bot_id',
              'username',
            ),
            fc.jsonValue(),
          ),
        })
        .map(({ ts, extra }) => ({
          json: JSON.stringify({ text: 'x', ...extra, ts }),
          ts: `${extra.subtype}`.startsWith('message_') ? undefined : ts,
        })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 6 }),
        fc.jsonValue(),
        fc.integer({ min: 1, max: 40 }),
        async (entries, lists, chunk) => {
          const list = JSON.stringify([lists, ...(Array.isArray(lists) ? lists : [])]);
          const archive = archiveOf(
            {
              'users.json': list,
              'dms.json': list,
              'c/2024-01-01.json': `[${entries.map(({ json }) => json).join(',')}]`,
            },
            { chunk },
          );

          const [first, again] = [await readOpened(slack, archive), await readOpened(slack, archive)];

          assert.deepEqual(again.items, first.items);
          const found = new Set(first.messages.map(({ id }) => id));
          for (const { ts } of entries) if (ts !== undefined) assert.ok(found.has(ts));
        },
      ),
      { numRuns: 200 },
    );
  });
});
