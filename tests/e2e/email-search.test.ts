import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { emailsOf, emailText, type SampleEmail, startEmailHome, subjectsOf } from '../support/email/email-home.ts';
import type { Delivery } from '../support/email/maildir.ts';

const home = await startEmailHome(
  after,
  {
    gmail: { user: 'alice', settings: { name: 'work-gmail' } },
    office: { user: 'bob', settings: { name: 'work-imap' } },
    home: { user: 'carol', settings: { name: 'Personal' } },
  },
  { options: { users: ['alice', 'bob', 'carol'] } },
);
const { server } = home;
const NOON = Date.parse('2026-11-10T12:00:00Z');
const MINUTE = 60_000;
const INVOICES = 30;
let minute = 0;

/** Each a minute after the one before. */
function deliver(user: string, email: SampleEmail, delivery: Delivery = {}): void {
  const at = NOON + ++minute * MINUTE;
  const date = `Date: ${new Date(at).toUTCString()}`;
  server.deliver(user, emailText({ ...email, header: [date, ...(email.header ?? [])] }), {
    receivedAt: at,
    ...delivery,
  });
}

const PDF = `Content-Type: multipart/mixed; boundary=b\r\nMIME-Version: 1.0`;
const withFile = (text: string, name: string) =>
  `--b\r\n\r\n${text}\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--b--`;

// Older than everything else: what looks only at the newest emails does not find it.
deliver('alice', {
  subject: 'An old plan',
  body: `${'Padding before the word. '.repeat(400)}\r\nThe word is xylophone.`,
});
deliver('alice', {
  subject: 'Offer',
  from: '"Ann Lee" <ann@shop.test>',
  body: 'As discussed.',
  to: 'bob@example.test',
});
deliver('alice', { subject: 'Hello', from: 'Invoice Robot <robot@billing.test>', body: 'See you.' });
deliver('alice', {
  subject: 'Figures',
  body: withFile('The yearly budget.', 'Budget 2026.pdf'),
  header: ['Cc: dave@team.test', PDF],
});
deliver('alice', { subject: 'A flagged one', body: 'Important budget.' }, { flags: ['\\Flagged', '\\Seen'] });
deliver('alice', { subject: 'Answered budget' }, { flags: ['\\Answered', '\\Seen'] });
deliver('alice', { subject: 'Old budget' }, { folder: 'Archive', flags: ['\\Seen'] });
deliver('alice', { subject: 'Thrown away budget' }, { folder: 'Trash', flags: ['\\Seen'] });
deliver('alice', { subject: 'Win a budget now' }, { folder: 'Junk' });
deliver('alice', { subject: 'Mine', from: 'alice@example.test', to: 'zoe@elsewhere.test' }, { folder: 'Sent' });
deliver('alice', { subject: 'Été', body: 'Réunion à Zürich' }, { folder: 'Projects/Été 2026' });
deliver('carol', { subject: '=?koi8-r?B?8NLJ18XU?=', body: 'plain', header: ['X-Note: Privet in KOI8-R'] });
deliver('carol', {
  subject: '=?iso-2022-jp?B?GyRCTGsbKEI=?=',
  header: ['Content-Type: text/plain; charset=gbk', 'Content-Transfer-Encoding: base64'],
  body: Buffer.from([0xbb, 0xe1, 0xd2, 0xe9, 0xbc, 0xc7, 0xc2, 0xbc]).toString('base64'),
});
deliver('carol', {
  subject: '=?utf-8?Q?Stra=C3=9Fe_und_M=C3=BCsli?=',
  body: 'Gr=FC=DFe aus K=F6ln',
  header: ['Content-Type: text/plain; charset=iso-8859-1', 'Content-Transfer-Encoding: quoted-printable'],
});
for (let each = 1; each <= INVOICES; each += 1) {
  const isRead = each % 2 === 0;
  deliver('bob', { subject: `Invoice ${each}`, from: 'billing@shop.test' }, isRead ? { flags: ['\\Seen'] } : {});
}
for (let each = 1; each <= 7; each += 1) {
  const delivery = each <= 6 ? {} : { flags: ['\\Seen'] as const };
  deliver('carol', { subject: `Note ${each}`, body: 'To be read' }, delivery);
}
deliver('carol', { subject: 'Note in a folder' }, { folder: 'Archive' });
await home.synced();
const mail = await home.client('--only', 'email');

const search = async (input: object) => mail.call('search_emails', input);
const found = async (query: string, more: object = {}) => subjectsOf(await search({ query, limit: 200, ...more }));

describe('search_emails', { timeout: 120_000 }, () => {
  test('EMAIL-05 matches subject, sender or text, newest first, and gives 20 by default', async () => {
    const page = await search({ query: 'invoice' });
    const all = await found('invoice');
    const everything = await search({});

    const expected = Array.from({ length: INVOICES }, (_, index) => `Invoice ${INVOICES - index}`);
    assert.deepEqual(subjectsOf(page), expected.slice(0, 20));
    assert.deepEqual(all, [...expected, 'Hello'], 'the last one by its sender');
    assert.equal(emailsOf(everything).length, 20);
    assert.deepEqual(await found('xylophone'), ['An old plan'], 'in the text, far from its beginning');
  });

  test('structured content has at most 1.5 times the bytes of the text', async () => {
    const all = await home.client();
    for (const [name, input, count] of [
      ['search_emails', { query: 'invoice' }, 20],
      ['search_emails', { account: 'home' }, 8],
      ['list_folders', {}, 10],
      ['list_accounts', {}, 3],
    ] as const) {
      const structure = await all.call(name, input);
      const text = Buffer.byteLength(await all.text(name, input));

      const bytes = Buffer.byteLength(JSON.stringify(structure));
      const [items] = Object.values(structure);
      assert(Array.isArray(items) && items.length >= count, `${name}: ${JSON.stringify(structure)}`);
      assert(bytes <= 1.5 * text, `${name}: ${bytes} bytes of structure for ${text} of text`);
    }
  });

  test('EMAIL-05 shows the words where they are, and the ids for the next call', async () => {
    const [email] = emailsOf(await search({ query: 'xylophone' }));
    const text = await mail.text('search_emails', { query: 'xylophone' });

    assert.match(String(email?.snippet), /The word is \*\*xylophone\*\*/);
    assert.match(text, new RegExp(`zoe@elsewhere\\.test.*An old plan.*message_id ${email?.message_id}`));
  });

  test('EMAIL-06 filters by account: by its id, its name, its address, or a part of them', async () => {
    for (const account of ['home', 'personal', 'carol@example.test', 'carol']) {
      const accounts = new Set(emailsOf(await search({ account, limit: 200 })).map((email) => email.account));
      assert.deepEqual([...accounts], ['home'], account);
    }
  });

  test('EMAIL-06 filters by folder: by its purpose or its name', async () => {
    const folders: Record<string, readonly string[]> = {
      sent: ['Mine'],
      Sent: ['Mine'],
      archive: ['Note in a folder', 'Old budget'],
      trash: ['Thrown away budget'],
      junk: ['Win a budget now'],
      'Projects/Été 2026': ['Été'],
      'Été 2026': ['Été'],
      drafts: [],
    };

    for (const [folder, expected] of Object.entries(folders)) {
      assert.deepEqual(subjectsOf(await search({ folder })), expected, folder);
    }
  });

  test('EMAIL-06 filters by unread_only and limit', async () => {
    const unread = emailsOf(await search({ unread_only: true, limit: 200 }));
    const three = await search({ query: 'invoice', limit: 3 });

    assert.ok(unread.every(({ is_unread: isUnread }) => isUnread === true));
    assert.equal(unread.filter(({ subject }) => subject.startsWith('Invoice')).length, INVOICES / 2);
    assert.deepEqual(subjectsOf(three), ['Invoice 30', 'Invoice 29', 'Invoice 28']);
  });

  test('EMAIL-06 combines all filters, on every door', async () => {
    const expected = ['Note 6', 'Note 5', 'Note 4', 'Note 3', 'Note 2'];
    const flags = ['--account', 'personal', '--folder', 'inbox', '--unread-only', '--limit', '5'];

    const answers = [
      await search({ account: 'personal', folder: 'inbox', unread_only: true, limit: 5 }),
      (await home.rest('GET', '/emails?account=personal&folder=inbox&unread_only=true&limit=5')).body,
      await home.json('email', 'search', ...flags),
    ];
    const withWord = await search({ query: 'note', account: 'personal', folder: 'archive', unread_only: true });
    const table = await home.command('email', 'search', 'Figures');

    for (const answer of answers) assert.deepEqual(subjectsOf(answer), expected);
    assert.deepEqual(subjectsOf(withWord), ['Note in a folder']);
    assert.match(table.stdout, /Figures/);
  });

  test('EMAIL-05 leaves out trash and junk unless they are named', async () => {
    assert.deepEqual(await found('budget', { account: 'gmail' }), [
      'Old budget',
      'Answered budget',
      'A flagged one',
      'Figures',
    ]);
    assert.deepEqual(await found('budget in:trash'), ['Thrown away budget']);
    assert.equal((await found('budget in:anywhere')).length, 6);
  });

  const OPERATORS: Readonly<Record<string, readonly string[]>> = {
    '"yearly budget"': ['Figures'],
    '"budget yearly"': [],
    'budget -flagged -subject:budget': ['Figures'],
    'NOT invoice account:gmail in:inbox subject:offer': ['Offer'],
    'xylophone OR discussed': ['Offer', 'An old plan'],
    '(xylophone OR discussed) from:ann': ['Offer'],
    'from:ann@shop.test': ['Offer'],
    'from:"Ann Lee"': ['Offer'],
    'from:billing subject:"invoice 7"': ['Invoice 7'],
    'to:bob subject:offer': ['Offer'],
    'cc:dave': ['Figures'],
    'has:attachment': ['Figures'],
    'filename:budget': ['Figures'],
    'filename:nothing': [],
    'is:flagged': ['A flagged one'],
    'is:unread subject:note in:archive': ['Note in a folder'],
    'in:sent': ['Mine'],
    'from:me': ['Mine'],
    'source:home subject:note is:read': ['Note 7'],
    'account:carol@example.test subject:note is:read': ['Note 7'],
    'source:email subject:note is:read': ['Note 7'],
    'after:2026-11-10 before:2026-11-11 discussed': ['Offer'],
    'before:2026-11-10': [],
  };
  for (const [query, expected] of Object.entries(OPERATORS)) {
    test(`EMAIL-05 understands ${query}`, async () => {
      assert.deepEqual(await found(query), expected);
    });
  }

  const FOREIGN: Readonly<Record<string, string>> = {
    Привет: 'Привет',
    夜: '夜',
    会议记录: '夜',
    会议: '夜',
    straße: 'Straße und Müsli',
    müsli: 'Straße und Müsli',
    muesli: '',
    köln: 'Straße und Müsli',
    Zürich: 'Été',
    zurich: 'Été',
    été: 'Été',
  };
  for (const [word, subject] of Object.entries(FOREIGN)) {
    test(`EMAIL-05 finds ${word} ${subject === '' ? 'nowhere' : 'in what its charset says'}`, async () => {
      assert.deepEqual(await found(word), subject === '' ? [] : [subject]);
    });
  }

  const STRANGE = ['"', '((', '-', 'OR', 'NEAR(a b)', 'subject:', '*', "'; DROP TABLE messages;--", 'a:b', '\u0000'];
  for (const query of STRANGE) {
    test(`EMAIL-05 answers the query ${JSON.stringify(query)}, and goes on`, async () => {
      const { result, error } = await mail.rpc('tools/call', { name: 'search_emails', arguments: { query } });

      assert.equal(error, undefined);
      const { error: refused } = (result?.structuredContent ?? {}) as { error?: { code: string } };
      if (result?.isError) assert.equal(refused?.code, 'VALIDATION_ERROR');
      assert.deepEqual(await found('xylophone'), ['An old plan']);
    });
  }

  test('EMAIL-06 wrong filters are refused, by name', async () => {
    const wrong = {
      limit: { limit: 0 },
      cursor: { cursor: 'x' },
      query: { query: 'after:someday' },
      unread_only: { unread_only: 'maybe' },
    };

    for (const [field, input] of Object.entries(wrong)) {
      const { code, field: named } = await mail.refusal('search_emails', input);
      assert.deepEqual([code, named], ['VALIDATION_ERROR', field]);
    }
  });

  test('EMAIL-19 an account that fits several, or none, is refused with what there is', async () => {
    const several = await mail.refusal('search_emails', { account: 'work' });
    const none = await mail.refusal('search_emails', { account: 'unknown' });

    assert.equal(several.code, 'ACCOUNT_AMBIGUOUS');
    assert.match(several.message, /gmail \("?work-gmail.*office \("?work-imap/);
    assert.doesNotMatch(several.message, /Personal/);
    assert.equal(none.code, 'ACCOUNT_NOT_FOUND');
    assert.match(none.message, /unknown.*work-gmail.*work-imap.*Personal/);
    const { code, field } = await mail.refusal('search_emails', { query: 'note -account:unknown' });
    assert.deepEqual([code, field], ['ACCOUNT_NOT_FOUND', 'query']);
  });

  // Last: it adds emails.
  test('EMAIL-05 pages by cursor while mail arrives: nothing twice, nothing lost', async () => {
    const seen: string[] = [];
    let cursor: unknown;
    let pages = 0;
    do {
      const page = await search({ query: 'invoice', limit: 7, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...subjectsOf(page));
      cursor = page.next_cursor;
      pages += 1;
      deliver('bob', { subject: `Invoice that came later ${pages}`, from: 'billing@shop.test' });
      await home.synced();
    } while (cursor !== undefined);

    assert.deepEqual(seen, [...Array.from({ length: INVOICES }, (_, index) => `Invoice ${INVOICES - index}`), 'Hello']);
    assert.equal(pages, 5);
    assert.match((await found('invoice'))[0] ?? '', /came later 5/);
  });
});
