import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { openConnection } from '../../src/connectors/signal/connection.ts';
import type { SignalSettings } from '../../src/connectors/signal/settings.ts';
import { rejectionOf, sentAs } from '../support/connectors/outcomes.ts';
import { type RecordingOptions, runRecorded } from '../support/connectors/recording-host.ts';
import { until } from '../support/mcp/shim-program.ts';
import { BOB, GROUP } from '../support/signal/signal-model.ts';
import { type SignalWorld, signalWorld } from '../support/signal/signal-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const PROGRAM = join(import.meta.dirname, '..', 'support', 'connectors', 'connector-program.ts');

describe('a signal-cli that Switchboard starts', { timeout: 120_000 }, () => {
  test('is killed in the middle of messages: nothing is lost, and another one is started', async (context) => {
    const world = await startWorld(context);
    const first = run(context, world);
    await first.connected();

    await world.peer.say('group', 'before');
    await first.until(() => first.messages().some(({ text }) => text === 'before'));
    const pid = pidOf(world);
    assert.ok(pid);
    process.kill(pid, 'SIGKILL');
    for (let count = 0; count < 20; count++) await world.peer.say('group', `after ${count}`);
    const ended = await first.ended;
    const second = run(context, world);
    await second.until(() => second.messages().some(({ text }) => text === 'after 19'));

    assert.match(String(ended), /signal-cli ended by itself/);
    const texts = [...first.messages(), ...second.messages()].map(({ text }) => text);
    assert.deepEqual(
      [...new Set(texts)].filter((text) => text.startsWith('after')),
      Array.from({ length: 20 }, (_, count) => `after ${count}`),
    );
  });

  test('ends with Switchboard, also when that is killed', async (context) => {
    const world = await startWorld(context);
    const { kind, settings } = world;
    const owner = spawn(process.execPath, [PROGRAM, join(folder, 'killed'), kind, JSON.stringify(settings)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    context.after(() => owner.kill('SIGKILL'));
    await world.peer.say('group', 'are you there?');
    await once(owner.stdout, 'data');
    assert.notEqual(pidOf(world), undefined);

    owner.kill('SIGKILL');

    await until('signal-cli has ended', () => pidOf(world) === undefined);
  });

  test('stops when the source is stopped, and what it wrote before is stored', async (context) => {
    const world = await startWorld(context);
    const connection = run(context, world);
    await connection.connected();

    for (let count = 0; count < 50; count++) await world.peer.say('direct', `last ${count}`);
    await connection.stop();

    assert.equal(pidOf(world), undefined);
    assert.deepEqual(readdirSync(join(world.settings.folder as string, 'test')), []);
    assert.equal(connection.messages().length + world.model.waiting(), 50);
  });

  test('what a former process has left in the file is stored, and a message that it had sent is known as sent', async (context) => {
    const world = await startWorld(context);
    const spool = join(world.settings.folder as string, 'test');
    mkdirSync(spool, { recursive: true });
    const envelope = world.model.envelope(BOB, 1_700_000_000_000, { dataMessage: { message: 'left behind' } });
    const lines = [
      { jsonrpc: '2.0', method: 'receive', params: { subscription: 1, result: { envelope } } },
      { jsonrpc: '2.0', id: 'send 7', result: { timestamp: 1_700_000_000_001, results: [{ type: 'SUCCESS' }] } },
    ];
    writeFileSync(join(spool, '4.jsonl'), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"half`);

    const connection = run(context, world);
    await connection.connected();
    const found = await connection.connection.wasSent?.({ id: '7', chat: GROUP, text: 'was it sent?' });
    const other = await connection.connection.wasSent?.({ id: '8', chat: GROUP, text: 'and this?' });

    assert.match(sentAs(found).id ?? '', /^1700000000001-/);
    assert.equal(other?.kind, 'unknown');
    assert.deepEqual(
      connection.messages().map(({ text }) => text),
      ['left behind', 'was it sent?'],
    );
  });

  test('is started again with another file when that of its output is full, and nothing is lost', async (context) => {
    const world = await startWorld(context);
    const spool = join(world.settings.folder as string, 'test');
    const connection = runRecorded(
      (settings: SignalSettings, host) => openConnection(settings, host, { maxBytes: 5_000 }),
      world.settings as unknown as SignalSettings,
    );
    context.after(() => connection.stop());
    await connection.connected();

    const texts = Array.from({ length: 60 }, (_, count) => `of many ${count}`);
    for (const text of texts) {
      const before = connection.messages().length;
      await world.peer.say('group', text);
      await connection.until(() => connection.messages().length > before);
    }

    assert.deepEqual([...new Set(connection.messages().map(({ text }) => text))], texts);
    const [first = ''] = readdirSync(spool).sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
    assert.ok(Number.parseInt(first, 10) > 1, 'the first file is still there');
  });

  const BROKEN: Record<string, [string | undefined, RegExp]> = {
    'is missing': [undefined, /^signal-cli was not found: install it/],
    'has no Java': ["ERROR: JAVA_HOME is not set and no 'java' command could be found", /^signal-cli needs Java/],
    'has an old Java': ['java.lang.UnsupportedClassVersionError: x', /newer Java/],
  };
  for (const [what, [said, reason]] of Object.entries(BROKEN)) {
    test(`one that ${what} is reported in our words`, async (context) => {
      const program = said === undefined ? join(folder, 'nothing') : script(`echo "${said}" >&2; exit 1`);
      const settings = { program, folder: join(folder, what), account: '+1' } as SignalSettings;

      const connection = runRecorded(openConnection, settings);
      context.after(() => connection.stop());

      assert.match(rejectionOf(await connection.ended), reason);
    });
  }

  test('one whose data is in use by another is reported instead of waited for', async (context) => {
    const program = script('echo "INFO  SignalAccount - Config file is in use by another instance, waiting" >&2; cat');

    const connection = runRecorded(openConnection, { program, folder: join(folder, 'used') } as SignalSettings);
    context.after(() => connection.stop());

    assert.match(String(await connection.ended), /Another signal-cli uses the account/);
  });
});

function run(context: TestContext, world: SignalWorld, options?: RecordingOptions) {
  const connection = runRecorded(openConnection, world.settings as unknown as SignalSettings, options);
  context.after(() => connection.stop());
  return connection;
}

async function startWorld(context: TestContext): Promise<SignalWorld> {
  const world = await signalWorld('program');
  context.after(() => world.close());
  return world;
}

/** The process of the stand-in; undefined if none runs. */
function pidOf({ settings }: SignalWorld): number | undefined {
  const pid = Number(readFileSync(join(settings.data as string, 'pid'), 'utf8'));
  try {
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

let scripts = 0;

function script(commands: string): string {
  const path = join(folder, `script-${++scripts}`);
  writeFileSync(path, `#!/bin/sh\n${commands}\n`);
  chmodSync(path, 0o755);
  return path;
}
