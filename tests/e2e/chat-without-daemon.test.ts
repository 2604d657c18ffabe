import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileIn } from '../support/archives/read-archive.ts';
import { writeConfig } from '../support/chat/live-home.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CONFIGURATION = {
  daemon: { autostart: false },
  limits: { request_timeout_ms: 600_000 },
  sources: { net: { kind: 'irc', host: '127.0.0.1', port: 9, tls: false, nick: 'me', channels: ['#x'] } },
};

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
  const env = { SWITCHBOARD_DAEMON__AUTOSTART: 'false' };
  const total = 5_000;
  const lines = Array.from({ length: total }, (_, index) => `2024-01-01 10:00:00\tann\t${index}\n`);
  const path = fileIn(folder, 'irc.libera.#dev.weechatlog', lines.join(''));
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
