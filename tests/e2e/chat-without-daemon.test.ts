import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileIn } from '../support/archives/read-archive.ts';
import { writeConfig } from '../support/chat/live-home.ts';
import { runProgram } from '../support/program.ts';
import { mountSmallDisk } from '../support/store/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CONFIGURATION = {
  daemon: { autostart: false },
  limits: { request_timeout_ms: 600_000 },
  sources: { net: { kind: 'irc', host: '127.0.0.1', port: 9, tls: false, nick: 'me', channels: ['#x'] } },
};
const ALONE = { SWITCHBOARD_DAEMON__AUTOSTART: 'false' };
const MEGABYTE = 1024 * 1024;

test('without daemon autostart, commands do not wait for a source that is not connected', async () => {
  const home = join(temporaryFolder(after), 'home');
  writeConfig(home, CONFIGURATION);

  const off = await runProgram(['chat', 'logout', 'net'], { home });
  const sources = await runProgram(['chat', 'sources', '--json'], { home });
  const on = await runProgram(['chat', 'login', 'net'], { home });
  const sent = await runProgram(['chat', 'send', '--source', 'net', '--chat', '#x', 'hello'], { home });

  assert.deepEqual([off.code, on.code, sent.code], [0, 1, 1]);
  assert.match(sources.stdout, /It was signed off; `switchboard chat login net` connects it again\./);
  assert.match(on.stdout, /^net is not connected\. It will be as soon as Switchboard runs\.$/m);
  assert.match(sent.stderr, /^Chat '#x' not found in source 'net'/);
});

test('without daemon autostart, two imports into a new source at once both finish, with each message once', async () => {
  const folder = temporaryFolder(after);
  const home = join(folder, 'home');
  const env = ALONE;
  const total = 5_000;
  const path = logIn(folder, total);
  const importing = () => runProgram(['chat', 'import', 'irc', path, '--time-zone', 'UTC', '--json'], { home, env });

  const both = await Promise.all([importing(), importing()]);
  const { stdout } = await runProgram(['chat', 'sources', '--json'], { home, env });

  assert.deepEqual(
    both.map(({ code, stderr }) => [code, stderr]),
    [
      [0, ''],
      [0, ''],
    ],
  );
  const reports = both.map((each) => JSON.parse(each.stdout) as { added: number; known: number });
  assert.equal(
    reports.reduce((sum, { added }) => sum + added, 0),
    total,
  );
  assert.deepEqual(
    reports.map(({ added, known }) => added + known),
    [total, total],
  );
  assert.equal(JSON.parse(stdout).sources[0].messages, total);
});

test('an import that fills the disk says that what it has stored is kept', async (context) => {
  const folder = temporaryFolder(after);
  const disk = mountSmallDisk(12 * MEGABYTE, (unmount) => context.after(unmount));
  if (!disk) return context.skip('only root can mount a disk');
  const options = { home: join(disk.path, 'home'), env: ALONE };
  const path = logIn(folder, 60_000);

  const { code, stderr } = await runProgram(['chat', 'import', 'irc', path, '--time-zone', 'UTC'], options);
  const { stdout } = await runProgram(['chat', 'sources', '--json'], options);

  assert.equal(code, 1);
  assert.match(
    stderr,
    /^The disk is full; a change could not be stored \(.+\)\.\nFree some space .+ What was read so far is kept/,
  );
  const { messages } = JSON.parse(stdout).sources[0];
  assert.ok(messages > 0 && messages < 60_000, String(messages));
});

/** A log of short lines. */
function logIn(folder: string, count: number): string {
  const lines = Array.from({ length: count }, (_, index) => `2024-01-01 10:00:00\tann\t${index}\n`);
  return fileIn(folder, 'irc.libera.#dev.weechatlog', lines.join(''));
}
