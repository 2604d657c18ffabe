import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
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
