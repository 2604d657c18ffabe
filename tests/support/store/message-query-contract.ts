import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { MessageFilter } from '../../../src/chat/ports.ts';
import { parseQuery } from '../../../src/domain/search-query/parse.ts';
import { mailToStore } from '../email/mail-samples.ts';
import { message, messageHands, START, said } from './message-samples.ts';
import type { Store } from './open-store.ts';

const DAY = 86_400_000;
const NOW = START + 30 * DAY;
const ALICE = { id: 'u1', name: 'Alice B' };
const BOB = { id: '@bob:example.org', name: 'Bob' };

/** The operators that a query may have. Each message is one word, so that the answers are easy to read. */
export function messageQueryContract(store: () => Store): void {
  const { record } = messageHands(store);

  async function find(query: string, filter: MessageFilter = {}): Promise<string> {
    const found = await store().messages.find({ query: parseQuery(query, { now: NOW }), ...filter }, { limit: 50 });
    return found.messages
      .map(({ text }) => text.split(' ')[0])
      .sort()
      .join(' ');
  }

  beforeEach(async () => {
    const dev = { id: '#dev', name: 'Developers', type: 'group' } as const;
    const direct = { id: 'd1', name: 'Bob', type: 'direct' } as const;
    await record(
      said([
        message('a', { chat: dev, sender: ALICE, text: 'a1 out of memory', at: START }),
        message('b', { chat: dev, sender: BOB, text: 'b2 out-of-memory: see https://example.org', at: START + DAY }),
        message('c', { chat: dev, sender: ALICE, text: 'c3 memory out of order', at: START + 2 * DAY, replyTo: 'a' }),
        message('d', { chat: direct, sender: BOB, text: 'd4 hello', at: START + 3 * DAY }),
        message('e', {
          chat: direct,
          sender: { id: 'me', name: 'I' },
          isOwn: true,
          text: 'e5 kernel',
          at: START + 4 * DAY,
        }),
        message('f', {
          chat: { id: 'x', name: 'Sent', type: 'channel' },
          sender: ALICE,
          text: 'f6 http is a protocol',
          at: START + 5 * DAY,
          contentType: 'image',
          attachments: [{ type: 'image', name: 'Plan März.png' }],
        }),
      ]),
    );
    await record(
      said([message('g', { chat: { id: 'x', type: 'group' }, sender: BOB, text: 'g7 kernel', at: START + 6 * DAY })]),
      { source: 'xmpp' },
    );
    const folder = (path: string, role?: 'inbox' | 'sent' | 'trash') =>
      ({ path, names: [path], isSelectable: true, ...(role ? { role } : {}) }) as const;
    const folders = await store().email.mail.saveFolders('work', [
      folder('INBOX', 'inbox'),
      folder('Sent Items', 'sent'),
      folder('Lists/Linux'),
      folder('Trash', 'trash'),
    ]);
    const keys = new Map(folders.map(({ path, key }) => [path, key]));
    const add = (path: string, ...mails: ReturnType<typeof mailToStore>[]) =>
      store().email.mail.record({ account: 'work', folder: keys.get(path) ?? 0, mails, origin: 'newer' });
    await add(
      'INBOX',
      mailToStore(1, {
        flags: ['\\Seen'],
        email: {
          subject: 'Quarterly report',
          text: 'm1 kernel',
          to: [{ name: 'Carol', address: 'carol@example.net' }],
          cc: [{ name: 'Dan', address: 'dan@example.net' }],
          attachments: [{ part: '2', name: 'Budget.xlsx', mime: 'application/x', type: 'file', isInline: false }],
        },
      }),
      mailToStore(2, { flags: ['\\Flagged'], email: { subject: 'Report of the quarter', text: 'm2 sent' } }),
    );
    const own = { from: [{ name: 'Me', address: 'me@example.test' }] };
    await add('Sent Items', {
      ...mailToStore(3, { flags: ['\\Seen'], email: { ...own, subject: 'Sent', text: 'm3' } }),
      isOwn: true,
    });
    await add('Lists/Linux', mailToStore(4, { email: { subject: 'kernel', text: 'm4' } }));
    await add('Trash', mailToStore(5, { email: { subject: 'kernel', text: 'm5' } }));
  });

  const table: [behaviour: string, answers: Record<string, string>][] = [
    [
      'words and phrases',
      { 'memory out': 'a1 b2 c3', '"out of memory"': 'a1 b2', '"memory out"': 'c3', '"https://"': 'b2' },
    ],
    ['negations', { 'memory -order': 'a1 b2', 'memory -"out of memory"': 'c3', '-memory source:irc': 'd4 e5 f6' }],
    [
      'only negations',
      { '-memory -kernel -in:INBOX -in:sent -from:alice': 'd4', '-(memory OR kernel OR source:work)': 'd4 f6' },
    ],
    [
      'alternatives',
      { 'hello OR order': 'c3 d4', '(hello OR order) -from:bob': 'c3', 'hello OR -source:irc in:Bob': 'd4' },
    ],
    [
      'alternatives of the index and the tables',
      { 'hello OR is:flagged': 'd4 m2', '-(hello OR is:own) source:irc': 'a1 b2 c3 f6' },
    ],
    [
      'from',
      {
        'from:alice': 'a1 c3 f6',
        'from:u1': 'a1 c3 f6',
        'from:"alice b" -memory': 'f6',
        'from:ann@example.test in:inbox': 'm1 m2',
      },
    ],
    [
      'parts of an address',
      { 'from:example.org': 'b2 d4 g7', 'from:exam source:irc': 'b2 d4', 'from:org.example': '', 'from:1': '' },
    ],
    [
      'from:me and is:own',
      { 'from:me': 'e5 m3', 'is:own': 'e5 m3', 'is:sent kernel': 'e5', 'to:me': 'd4 m1 m2 m4 m5' },
    ],
    [
      'to and cc',
      { 'to:carol': 'm1', 'to:car': 'm1', 'to:example.net': 'm1', 'to:dan': '', 'cc:dan': 'm1', 'to:bob': 'e5' },
    ],
    [
      'subject',
      { 'subject:"quarterly report"': 'm1', 'subject:report': 'm1 m2', 'subject:kernel': 'm4 m5', 'subject:hello': '' },
    ],
    ['in', { 'in:#dev': 'a1 b2 c3', 'in:develop memory': 'a1 b2 c3', 'in:Bob': 'd4 e5', 'in:nowhere': '' }],
    [
      'folders',
      { 'in:inbox': 'm1 m2', 'in:"sent items"': 'm3', 'in:Linux': 'm4', 'in:lists/linux': 'm4', 'in:trash': 'm5' },
    ],
    ['a role, which no part of a name is', { 'in:sent': 'f6 m3', 'in:sent source:work': 'm3' }],
    ['has', { 'has:attachment': 'f6 m1', 'has:image': 'f6', 'has:file': 'm1', 'has:link': 'b2', 'has:video': '' }],
    [
      'filename',
      { 'filename:budget': 'm1', 'filename:budget.xlsx': 'm1', 'filename:marz.p': 'f6', 'filename:kernel': '' },
    ],
    [
      'is',
      {
        'is:unread': 'm2 m4 m5',
        'is:read': 'm1 m3',
        'is:flagged': 'm2',
        'is:reply': 'c3',
        'is:edited': '',
        '-is:unread in:inbox': 'm1',
      },
    ],
    [
      'source',
      { 'source:xmpp': 'g7', 'kernel source:work': 'm1 m4 m5', 'source:XMPP': '', '-source:irc kernel': 'g7 m1 m4 m5' },
    ],
    [
      'times',
      {
        'after:2026-01-06 before:2026-01-07': 'f6',
        'memory before:2026-01-02': 'a1',
        'after:2026-01-06 OR is:reply': 'c3 f6 g7',
      },
    ],
    ['signs in quotes', { '":"': 'b2', 'memory "!!"': '', 'memory -- from:alice': 'a1 c3' }],
    [
      'words that would be tokens of ours',
      { _o1: '', '"_c1"': '', 'subject:_to_carol': '', 'in:_c1': '', _has_attachment: '' },
    ],
  ];
  for (const [behaviour, answers] of table) {
    test(`by ${behaviour}`, async () => {
      for (const [query, expected] of Object.entries(answers)) assert.equal(await find(query), expected, query);
    });
  }

  test('a query only narrows the other conditions', async () => {
    assert.equal(await find('kernel OR is:unread OR -kernel', { sources: ['xmpp'] }), 'g7');
    assert.equal(await find('-nothing', { sources: ['irc'], chats: [1] }), 'a1 b2 c3');
    assert.equal(await find('in:Bob OR source:work OR is:flagged', { chats: [1] }), '');
    assert.equal(await find('is:unread', { sources: ['irc'] }), '');
    assert.equal(await find('memory', { sender: 'bob' }), 'b2');
    assert.equal(await find('from:alice', { text: { kind: 'part', text: 'rotoco' } }), 'f6');
    assert.equal(await find('after:2026-01-02', { since: START, before: START + 2 * DAY }), 'b2');
    assert.equal(await find('kernel', { sources: [] }), '');
  });

  test('emails in the trash are found only where they are asked for', async () => {
    const skipDiscarded = true;

    assert.equal(await find('subject:kernel', { skipDiscarded }), 'm4');
    assert.equal(await find('subject:kernel in:anywhere', { skipDiscarded }), 'm4 m5');
    assert.equal(await find('in:trash', { skipDiscarded }), 'm5');
    assert.equal(await find('in:bin', { skipDiscarded }), 'm5');
    assert.equal(await find('is:unread -in:trash', { skipDiscarded }), 'm2 m4');
    assert.equal(await find('kernel OR hello', { skipDiscarded }), 'd4 e5 g7 m1 m4');
  });

  test('page by page, newest first', async () => {
    const query = parseQuery('kernel OR is:unread OR memory', { now: NOW });
    const pages: string[] = [];
    let beforeId: string | undefined;
    for (;;) {
      const { messages, hasMore } = await store().messages.find(
        { query },
        { limit: 2, ...(beforeId ? { beforeId } : {}) },
      );
      pages.push(messages.map(({ text }) => text.slice(0, 2)).join(' '));
      if (!hasMore) break;
      beforeId = messages.at(-1)?.id;
    }

    assert.deepEqual(pages, ['g7 e5', 'c3 b2', 'a1 m5', 'm4 m2', 'm1']);
  });
}
