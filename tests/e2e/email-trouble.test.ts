import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connected, sourcesOf } from '../support/chat/live-home.ts';
import { writeEmailConfig } from '../support/email/email-program.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { mailText } from '../support/email/mail-session.ts';
import { removeHome, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = await startMailServer({ users: ['alice'] });
after(() => server.stop());
const folder = temporaryFolder(after);

test('a rejected password is told in the list of sources, by doctor and by operations, until it is corrected', async (context) => {
  const home = join(folder, 'password');
  context.after(() => removeHome(home));
  server.deliver('alice', mailText('Hello'));
  const configure = (password: string) =>
    writeEmailConfig(home, server, { work: { user: 'alice', settings: { auth: { password } } } }, {});

  configure('wrong');
  await until('it is rejected', async () => (await sourcesOf(home)).work?.state === 'rejected');
  const { work } = await sourcesOf(home);
  const doctor = await runProgram(['doctor'], { home });
  const sync = await runProgram(['email', 'sync'], { home });
  configure(server.user('alice').password);
  await connected(home, 'work');
  const later = await runProgram(['email', 'sync'], { home });

  const reason = 'The user name or the password was not accepted.';
  assert.equal(work?.problem, reason);
  assert.ok(`${doctor.stdout}${doctor.stderr}`.includes(reason), doctor.stdout);
  assert.notEqual(sync.code, 0);
  assert.ok(sync.stderr.includes(reason), sync.stderr);
  assert.equal(later.code, 0, later.stderr);
  assert.equal((await sourcesOf(home)).work?.messages, 1);
});

test('a server that is down is told of, and connected again by itself', async (context) => {
  const home = join(folder, 'down');
  context.after(() => removeHome(home));
  writeEmailConfig(home, server, { work: { user: 'alice' } }, {});
  await connected(home, 'work');

  await server.imap.down();
  await until('it is not connected', async () => (await sourcesOf(home)).work?.is_connected === false);
  await until('the reason is told', async () =>
    /refuses connections/.test((await sourcesOf(home)).work?.problem ?? ''),
  );
  const refused = await runProgram(['email', 'sync'], { home });
  await server.imap.up();

  await connected(home, 'work');
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /not connected to its server/);
});
