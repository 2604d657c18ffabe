import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { startEmailProgram } from '../support/email/email-program.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = await startMailServer({ users: ['alice'] });
after(() => server.stop());

/** Lines that tell which of them are missing. */
function lines(length: number): string {
  const count = Math.ceil(length / 22);
  return Array.from({ length: count }, (_, index) => `Grüße, Zeile ${String(index).padStart(6, '0')}`).join('\r\n');
}

function part(header: readonly string[], content: string): string {
  return [...header, '', content].join('\r\n');
}

function multipart(kind: string, boundary: string, parts: readonly string[]): string {
  const type = `Content-Type: multipart/${kind}; boundary=${boundary}`;
  return part([type], [...parts.flatMap((each) => [`--${boundary}`, each]), `--${boundary}--`, ''].join('\r\n'));
}

const PLAIN = 'Content-Type: text/plain; charset=utf-8';
const BASE64 = 'Content-Transfer-Encoding: base64';
const picture = (name: string, disposition: string, content: string) =>
  part(
    [`Content-Type: image/jpeg; name=${name}`, disposition, `Content-Id: <${name}@x>`, BASE64],
    Buffer.from(content).toString('base64'),
  );
const file = (name: string) =>
  part(
    ['Content-Type: application/pdf', `Content-Disposition: attachment; filename=${name}`, BASE64],
    Buffer.from(name).toString('base64'),
  );

const EMAILS: Readonly<Record<string, string>> = {
  plain: part([PLAIN], lines(2_000_000)),
  html: multipart('alternative', 'alt', [
    part([PLAIN], 'Please view this email in your browser.'),
    part(['Content-Type: text/html; charset=utf-8'], `<p>${lines(970_000).replaceAll('\r\n', '<br>\r\n')}</p>`),
  ]),
  endless: part([PLAIN], lines(9_000_000)),
  photo: multipart('mixed', 'm', [
    part([PLAIN], 'Look:'),
    picture('IMG_0001.jpeg', 'Content-Disposition: inline; filename=IMG_0001.jpeg', 'a photo'),
    part([PLAIN], 'Sent from my phone'),
  ]),
  related: multipart('related', 'r', [
    part(['Content-Type: text/html'], '<p>Look: <img src="cid:chart.jpeg@x"></p>'),
    picture('chart.jpeg', 'Content-Disposition: inline', 'a chart'),
  ]),
  embedded: multipart('mixed', 'm', [
    part([PLAIN], 'See the email.'),
    part(
      ['Content-Type: message/rfc822'],
      `Subject: inner\r\n${multipart('mixed', 'i', [part([PLAIN], 'inner'), file('inner.pdf')])}`,
    ),
    file('outer.pdf'),
  ]),
};
for (const [subject, content] of Object.entries(EMAILS)) {
  const header = [
    `Subject: ${subject}`,
    'From: bob@example.test',
    `Message-ID: <${subject}@test>`,
    'MIME-Version: 1.0',
  ];
  server.deliver('alice', `${header.join('\r\n')}\r\n${content}`);
}

const program = await startEmailProgram(join(temporaryFolder(after), 'home'), server, { personal: { user: 'alice' } });
after(() => program.stop());
const { call } = program;

describe('a long email is forwarded as a whole', () => {
  test('as plain text', async () => {
    const { draft, answer } = await forwarded('plain');

    assert.equal(answer.warnings, undefined);
    assert.ok(plainText(draft.text).endsWith(lines(2_000_000).replaceAll('\r\n', '\n')));
  });

  test('as HTML', async () => {
    const { draft, answer } = await forwarded('html');

    assert.equal(answer.warnings, undefined);
    assert.ok(plainText(draft.text).endsWith(lines(970_000).replaceAll('\r\n', '\n')));
  });

  test('also when the files of the draft are changed', async () => {
    const { answer } = await forwarded('plain');

    await call('update_draft', {
      draft_id: answer.draft_id,
      attachments: [{ name: 'note.txt', content_base64: Buffer.from('note').toString('base64') }],
    });

    const draft = await draftOf('Fwd: plain');
    assert.equal(draft.attachments.length, 1);
    assert.ok(plainText(draft.text).endsWith(lines(2_000_000).replaceAll('\r\n', '\n')));
  });

  test('or the draft and the answer say that it is not', async () => {
    const { draft, answer } = await forwarded('endless');

    assert.equal((answer.warnings as string[]).length, 1);
    const text = plainText(draft.text);
    assert.ok(text.length > 3_900_000, String(text.length));
    assert.match(text.slice(-60), /\n\n\[The end of this email is left out\.\]$/);
    assert.equal((await call('send_email', { draft_id: answer.draft_id })).status, 'sent');
  });
});

test('an answer says that it quotes only the beginning', async () => {
  const { message_id } = await found('endless');

  await call('reply_to_email', { message_id, body: 'Thanks' });

  assert.match(plainText((await draftOf('Re: endless')).text).slice(-30), /\n> \[…\]$/);
});

describe('what read_email lists as an attachment is forwarded', () => {
  test('a photo in the text', async () => {
    assert.deepEqual(await filesOf('photo'), [['IMG_0001.jpeg', 'a photo']]);
  });

  test('a picture of an HTML text', async () => {
    assert.deepEqual(await filesOf('related'), [['chart.jpeg', 'a chart']]);
  });

  test('a file in an attached email once, within that email', async () => {
    const files = await filesOf('embedded');

    assert.deepEqual(
      files.map(([name]) => name),
      ['inner.eml', 'outer.pdf'],
    );
    assert.match(files[0]?.[1] ?? '', /inner\.pdf/);
  });
});

/** As soon as it is synchronized. */
async function found(subject: string): Promise<{ message_id: string }> {
  for (let attempt = 0; attempt < 1_500; attempt += 1) {
    const { emails } = await call('search_emails', { query: `subject:${subject} in:inbox` });
    const [email] = emails as { message_id: string }[];
    if (email) return email;
    await delay(20);
  }
  return assert.fail(`no ${subject}`);
}

async function forwarded(subject: string) {
  const { message_id } = await found(subject);
  const answer = await call('forward_email', { message_id, to: 'alice@example.test' });
  return { answer, draft: await draftOf(`Fwd: ${subject}`) };
}

async function filesOf(subject: string) {
  const { draft } = await forwarded(subject);
  return draft.attachments.map(({ filename, content }) => [
    filename,
    typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString(),
  ]);
}

/** The newest draft with this subject. */
async function draftOf(subject: string) {
  const raw = server.folderOf('alice', 'Drafts').findLast((each) => each.raw.includes(`Subject: ${subject}\r\n`));
  return PostalMime.parse(Buffer.from(raw?.raw ?? '', 'latin1'), { forceRfc822Attachments: true });
}

function plainText(text = ''): string {
  return text.replaceAll('\r\n', '\n').trim();
}
