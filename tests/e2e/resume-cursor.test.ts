import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { daemonAddress } from '../../src/lib/daemon-address.ts';
import { version } from '../../src/lib/version.ts';
import { writeConfig } from '../support/chat/live-home.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { request } from '../support/mcp/rpc-message.ts';
import { until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const COUNT = 20;
const HELLO = { v: 1, door: 'mcp', version: version(), cwd: '/', pid: process.pid, ppid: process.ppid, env: {} };
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'a test', version: '1.0.0' },
};

/** If the cursor came first, a daemon killed in between would leave a shim that skips the notification. */
test('a shim gets the resume cursor together with its notification, never before it', async () => {
  const home = join(temporaryFolder(after), 'home');
  writeConfig(home, { sources: { hook: { kind: 'webhook' } } });
  const program = await startHttp({ home });
  after(() => program.stop());
  const socket = connect(daemonAddress(home));
  after(() => socket.destroy());
  const chunks: string[] = [];
  socket.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  await once(socket, 'connect');
  const say = (message: object) => socket.write(`${JSON.stringify(message)}\n`);

  say(HELLO);
  say(request('initialize', INITIALIZE, 1));
  await until('the session is open', () => chunks.join('').includes('"id":1'));
  say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  say(request('resources/subscribe', { uri: 'messages://hook/*' }, 2));
  await until('the subscription is confirmed', () => chunks.join('').includes('"id":2'));
  chunks.length = 0;
  for (let number = 0; number < COUNT; number += 1) {
    await fetch(`${program.base}/api/v1/sources/hook/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chat: 'builds', sender: 'ci', text: `build ${number}` }),
    });
  }
  await until('all cursors have arrived', () => chunks.join('').split('\0heard ').length > COUNT);

  const lines = chunks.join('').trimEnd().split('\n');
  const numbers = lines.map((line) => /"number":(\d+)/.exec(line)?.[1]).filter((number) => number !== undefined);
  assert.equal(numbers.length, COUNT);
  for (const [index, number] of numbers.entries()) {
    assert.match(lines[2 * index] ?? '', new RegExp(`"number":${number}\\b`));
    assert.equal(lines[2 * index + 1], `\0heard ${number}`);
  }
});
