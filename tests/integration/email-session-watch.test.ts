import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startMailServer } from '../support/email/mail-server.ts';
import { fetchAll, mailText, sessionOn } from '../support/email/mail-session.ts';

const NEVER = new AbortController().signal;

describe('watching a folder', async () => {
  const server = await startMailServer({ users: ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi'] });
  after(() => server.stop());

  test('ends when an email arrives', async (context) => {
    const session = await sessionOn(context, server);
    await session.status('INBOX');
    const watching = session.watch('INBOX', NEVER);

    server.deliver('alice', mailText('new'));

    assert.equal(await watching, 'changed');
    assert.equal((await session.status('INBOX')).messages, 1);
  });

  test('ends when another client changes flags or deletes', async (context) => {
    server.deliver('bob', mailText('a'));
    const session = await sessionOn(context, server, { user: 'bob' });
    const other = await sessionOn(context, server, { user: 'bob' });
    await session.status('INBOX');

    const flags = session.watch('INBOX', NEVER);
    await other.setFlags('INBOX', [1], { add: ['\\Flagged'] });
    assert.equal(await flags, 'changed');
    await session.status('INBOX');
    const deletion = session.watch('INBOX', NEVER);
    await other.expunge('INBOX', [1]);

    assert.equal(await deletion, 'changed');
  });

  test('is interrupted by commands, in other folders too, and goes on', async (context) => {
    server.deliver('carol', mailText('other'), { folder: 'Other' });
    const session = await sessionOn(context, server, { user: 'carol' });
    await session.status('INBOX');
    const watching = session.watch('INBOX', NEVER);

    const mails = await fetchAll(session, 'Other');
    await session.setFlags('Other', [1], { add: ['\\Seen'] });
    server.deliver('carol', mailText('new'));

    assert.equal(mails.length, 1);
    assert.equal(await watching, 'changed');
  });

  test('misses nothing that happened between the last state and the watch', async (context) => {
    const session = await sessionOn(context, server, { user: 'dave' });
    await session.status('INBOX');
    server.deliver('dave', mailText('between'));

    assert.equal(await session.watch('INBOX', NEVER), 'changed');

    // The same while the folder is open, and its news come with the answer to another command.
    await session.status('INBOX');
    const other = await sessionOn(context, server, { user: 'dave' });
    await other.append('INBOX', Buffer.from(mailText('during')), []);
    while ((await session.uids('INBOX')).length < 2);
    assert.equal(await session.watch('INBOX', NEVER), 'changed');

    // And if another part of the program has asked for the state meanwhile.
    await session.status('INBOX');
    await session.status('Sent');
    await other.append('INBOX', Buffer.from(mailText('third')), []);
    await session.status('INBOX');
    assert.equal(await session.watch('INBOX', NEVER), 'changed');
  });

  test('ends once for changes that are reported together, all of which are told', async (context) => {
    const uids = Array.from({ length: 2_000 }, (_, index) => index + 1);
    for (const uid of uids) server.deliver('heidi', mailText(String(uid)));
    const session = await sessionOn(context, server, { user: 'heidi' });
    const other = await sessionOn(context, server, { user: 'heidi' });
    const { uidValidity, highestModseq = '' } = await session.status('INBOX');
    const watching = session.watch('INBOX', NEVER);
    await other.setFlags('INBOX', uids, { add: ['\\Flagged'] });

    assert.equal(await watching, 'changed');
    const status = await session.status('INBOX');
    const { flags } = await session.changes('INBOX', { uidValidity, modseq: highestModseq });
    const controller = new AbortController();
    const again = session.watch('INBOX', controller.signal);
    await session.uids('INBOX');
    controller.abort();

    assert.notEqual(status.highestModseq, highestModseq);
    assert.deepEqual(
      flags.filter((each) => each.flags.includes('\\Flagged')).map(({ uid }) => uid),
      uids,
    );
    assert.equal(await again, 'aborted');
  });

  test('ends when it is cancelled, and can be started again', async (context) => {
    const session = await sessionOn(context, server, { user: 'erin' });
    await session.status('INBOX');
    const controller = new AbortController();
    const cancelled = session.watch('INBOX', controller.signal);

    controller.abort();

    assert.equal(await cancelled, 'aborted');
    assert.equal(await session.watch('INBOX', controller.signal), 'aborted');
    const again = session.watch('INBOX', NEVER);
    server.deliver('erin', mailText('new'));
    assert.equal(await again, 'changed');
  });

  test('ends with the connection', async (context) => {
    const session = await sessionOn(context, server, { user: 'frank' });
    await session.status('INBOX');
    const watching = session.watch('INBOX', NEVER);
    await session.status('Sent');

    server.imap.kick('frank');

    assert.equal(await watching, 'aborted');
    assert.equal((await session.closed)?.kind, 'lost');
  });

  test('fails in a folder that does not exist', async (context) => {
    const session = await sessionOn(context, server, { user: 'grace' });

    await assert.rejects(session.watch('Nowhere', NEVER), { kind: 'refused' });
  });
});
