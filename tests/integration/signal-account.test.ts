import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { LoginHost, LoginStep } from '../../src/connectors/connector.ts';
import { login, logout, openConnection } from '../../src/connectors/signal/connection.ts';
import type { SignalSettings } from '../../src/connectors/signal/settings.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { notSent, rejectionOf, sentAs } from '../support/connectors/outcomes.ts';
import { runRecorded } from '../support/connectors/recording-host.ts';
import { silentLog } from '../support/operation-context.ts';
import { BOB, createSignalModel, GROUP, ME, SignalFailure } from '../support/signal/signal-model.ts';
import { startSignalServer } from '../support/signal/signal-server.ts';
import { type Reach, type SignalWorld, signalWorld } from '../support/signal/signal-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('an account of Signal', { timeout: 120_000 }, () => {
  for (const reach of ['program', 'tcp', 'http'] as const) {
    test(`is linked by a code that is renewed when it expires (${reach})`, async (context) => {
      const world = await startWorld(context, reach, { linked: false });
      const settings = { ...world.settings, account: undefined } as unknown as SignalSettings;
      const memory = new Map<string, string>();
      const before = runRecorded(openConnection, settings, { memory });
      const refused = rejectionOf(await before.ended);
      const { scans } = world.model;
      scans.on('waiting', ({ deviceLinkUri }) => {
        const isFirst = /uuid=1&/.test(deviceLinkUri);
        const outcome = isFirst ? new SignalFailure(-1, 'Link request timed out') : { number: ME.number };
        setImmediate(() => scans.emit(deviceLinkUri, outcome));
      });

      const { steps, end } = await signIn(settings, memory);
      const connection = runRecorded(openConnection, settings, { memory });
      context.after(() => connection.stop());
      await connection.connected();
      const again = await signIn(settings, memory);

      assert.match(refused, /link one with `switchboard chat login test`/);
      assert.deepEqual(
        steps.map((step) => step.kind === 'show-qr' && /^sgnl:\/\/linkdevice\?uuid=(\d)/.exec(step.data)?.[1]),
        ['1', '2'],
      );
      assert.deepEqual([end, again], [{ kind: 'done' }, { steps: [], end: { kind: 'done' } }]);
    });
  }

  test('that scans the code must be that of the settings', async (context) => {
    const world = await startWorld(context, 'tcp', { linked: false });
    const { scans } = world.model;
    scans.on('waiting', ({ deviceLinkUri }) =>
      setImmediate(() => scans.emit(deviceLinkUri, { number: '+12025559999' })),
    );

    const { end } = await signIn(world.settings as unknown as SignalSettings, new Map());

    assert.equal(end.kind, 'failed');
  });

  test('a sign-in that is cancelled waits no longer for a scan', async (context) => {
    const world = await startWorld(context, 'tcp', { linked: false });
    const cancel = new AbortController();
    const waiting = once(world.model.scans, 'waiting');

    const signingIn = signIn(world.settings as unknown as SignalSettings, new Map(), cancel.signal);
    await waiting;
    cancel.abort();

    assert.equal((await signingIn).end.kind, 'failed');
  });

  test('is reached over a Unix socket', async (context) => {
    const model = createSignalModel();
    const path = join(
      temporaryFolder((end) => context.after(end)),
      'signal.sock',
    );
    const server = await startSignalServer(model, { unixPath: path });
    context.after(() => server.close());
    const settings = { account: ME.number, endpoint: `unix:${path}` } as SignalSettings;

    const connection = runRecorded(openConnection, settings);
    context.after(() => connection.stop());
    await connection.connected();
    model.deliver(model.envelope(BOB, model.nextTimestamp(), { dataMessage: { message: 'hello' } }));

    await connection.until(() => connection.messages()[0]?.text === 'hello');
  });

  test('that `chat login` has linked stays linked after `chat logout`, which says so', async () => {
    const memory = new Map<string, string>();
    const end = async () => (await logout({} as SignalSettings, hostWith(memory))).kind;

    const before = await end();
    memory.set('linked', ME.number);
    const after = await end();

    assert.deepEqual([before, after], ['done', 'not-revoked']);
  });

  test('has its messages of other devices, and new groups with their names', async (context) => {
    const world = await startWorld(context);
    const connection = run(context, world);
    await connection.connected();
    const group = `${'A'.repeat(43)}=`;
    world.model.groups.push({ id: group, name: 'New', isMember: true, members: [{ uuid: BOB.uuid }] });

    const timestamp = world.model.nextTimestamp();
    const sentMessage = { destinationUuid: BOB.uuid, timestamp, message: 'from my phone' };
    world.model.deliver(world.model.envelope(ME, timestamp, { syncMessage: { sentMessage } }));
    const dataMessage = { message: 'welcome', groupInfo: { groupId: group, type: 'UPDATE' } };
    world.model.deliver(world.model.envelope(BOB, world.model.nextTimestamp(), { dataMessage }));

    await connection.until(() => connection.chat(group).name === 'New');
    const [own, welcome] = connection.messages();
    assert.partialDeepStrictEqual(own, { chat: { id: BOB.uuid }, isOwn: true, text: 'from my phone' });
    assert.equal(welcome?.chat.id, group);
    assert.equal(connection.chat(group).participantCount, 1);
  });

  test('an edit of an edited message is one of the first version, also after a restart', async (context) => {
    const world = await startWorld(context);
    const memory = new Map<string, string>();
    const edit = (target: number, message: string) => {
      const timestamp = world.model.nextTimestamp();
      const dataMessage = { timestamp, message };
      world.model.deliver(
        world.model.envelope(BOB, timestamp, { editMessage: { targetSentTimestamp: target, dataMessage } }),
      );
      return timestamp;
    };
    const first = run(context, world, memory);
    await first.connected();
    const id = await world.peer.say('direct', 'one');
    const second = edit(Number(id.split('-')[0]), 'two');
    await first.until(() => first.events.some(({ kind }) => kind === 'edit') && memory.has('revisions'));
    await first.stop();

    const later = run(context, world, memory);
    edit(second, 'three');
    const lastEdit = () => later.events.find((event) => event.kind === 'edit' && event.text === 'three');
    await later.until(() => lastEdit() !== undefined);

    assert.partialDeepStrictEqual(lastEdit(), { message: id });
  });

  test('a message to a phone number is in the chat of the person', async (context) => {
    const world = await startWorld(context);
    const { connection, messages, connected } = run(context, world);
    await connected();

    const address = connection.addressOf?.('+358 40 123 4567') ?? '';
    const byNumber = await connection.send?.({ id: '1', chat: BOB.number, text: 'by number' });

    sentAs(byNumber);
    assert.equal(address, BOB.uuid);
    assert.deepEqual(messages()[0]?.chat, { id: BOB.uuid, type: 'direct', name: 'Bob' });
  });

  test('an answer has the author and the timestamp of what it answers', async (context) => {
    const world = await startWorld(context);
    const { connection, connected } = run(context, world);
    await connected();

    sentAs(await connection.send?.({ id: '1', chat: GROUP, text: 'yes', replyTo: `1700000000000-${BOB.uuid}` }));

    assert.partialDeepStrictEqual(world.model.sent[0]?.params, {
      account: ME.number,
      groupId: GROUP,
      quoteTimestamp: 1_700_000_000_000,
      quoteAuthor: BOB.uuid,
    });
  });

  const REFUSALS: [string, SignalFailure, RegExp, boolean][] = [
    ['a rate limit', new SignalFailure(-5, 'x'), /limits how much/, true],
    ['a captcha', new SignalFailure(-6, 'x'), /captcha/, false],
    ['an untrusted identity', new SignalFailure(-4, 'x'), /safety number .* has changed/, false],
    [
      'an unregistered user',
      new SignalFailure(-1, 'The user +1 is not registered.'),
      /not registered with Signal/,
      false,
    ],
  ];
  for (const [what, failure, reason, retry] of REFUSALS) {
    test(`${what} is reported in our words, and nothing is sent`, async (context) => {
      const world = await startWorld(context);
      const { connection, connected } = run(context, world);
      await connected();
      world.model.failures.set('send', failure);

      const outcome = notSent(await connection.send?.({ id: '1', chat: GROUP, text: 'x' }));

      assert.match(outcome.reason, reason);
      assert.equal(outcome.retry, retry);
    });
  }

  test('whether a message was sent is unknown when the network failed while sending', async (context) => {
    const world = await startWorld(context);
    const { connection, connected } = run(context, world);
    await connected();
    world.model.failures.set('send', new SignalFailure(-3, 'Connection closed!'));

    await assert.rejects(async () => connection.send?.({ id: '1', chat: GROUP, text: 'x' }));
  });
});

function run(context: TestContext, { settings }: SignalWorld, memory = new Map<string, string>()) {
  const connection = runRecorded(openConnection, settings as unknown as SignalSettings, { memory });
  context.after(() => connection.stop());
  return connection;
}

async function startWorld(context: TestContext, reach: Reach = 'tcp', options = {}): Promise<SignalWorld> {
  const world = await signalWorld(reach, options);
  context.after(() => world.close());
  return world;
}

async function signIn(settings: SignalSettings, memory: Map<string, string>, signal = new AbortController().signal) {
  const steps: LoginStep[] = [];
  const dialog = login(settings, hostWith(memory, signal));
  let step = await dialog.next();
  for (; !step.done; step = await dialog.next('')) steps.push(step.value);
  return { steps, end: step.value };
}

function hostWith(memory: Map<string, string>, signal = new AbortController().signal): LoginHost {
  return {
    source: 'test',
    clock: systemClock,
    log: silentLog,
    memory: {
      get: async (key: string) => memory.get(key),
      set: async (key: string, value: string) => void memory.set(key, value),
    },
    secrets: { get: async () => undefined, set: async () => {}, delete: async () => {} },
    signal,
  };
}
