import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Host, LoginStep } from '../../src/connectors/connector.ts';
import { openConnection } from '../../src/connectors/whatsapp/connection.ts';
import { whatsapp } from '../../src/connectors/whatsapp/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { SOURCE } from '../support/connectors/connected-source.ts';
import { type RecordedRun, type RecordingOptions, runRecorded } from '../support/connectors/recording-host.ts';
import { silentLog } from '../support/operation-context.ts';
import { historyOf } from '../support/whatsapp/old-messages.ts';
import { createWhatsappUser } from '../support/whatsapp/whatsapp-user.ts';
import { GROUP, type WhatsappWorld, whatsappWorld } from '../support/whatsapp/whatsapp-world.ts';

describe('WhatsApp', () => {
  let world: WhatsappWorld;
  const memory = new Map<string, string>();
  const secrets = new Map<string, string>();
  const runs: RecordedRun[] = [];
  before(async () => {
    world = await whatsappWorld();
    secrets.set('link', world.secrets?.get(`${SOURCE} link`) ?? '');
  });
  afterEach(async () => {
    for (const run of runs.splice(0)) await run.stop();
  });
  after(() => world.close());

  async function connect(options: RecordingOptions = {}): Promise<RecordedRun> {
    const run = runRecorded(openConnection, world.server.settings, { memory, secrets, ...options });
    runs.push(run);
    await run.connected();
    return run;
  }

  const has = (run: RecordedRun, text: string) => run.messages().some((message) => message.text === text);

  async function arrived(run: RecordedRun, text: string) {
    await run.until(() => has(run, text));
    const found = run.messages().filter((message) => message.text === text);
    assert.equal(found.length, 1);
    return found[0];
  }

  test('a message is not acknowledged before it is stored', async () => {
    const storing = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const slowly = (settings: typeof world.server.settings, host: Host) =>
      openConnection(settings, {
        ...host,
        async accept(events, position) {
          if (events.some(({ kind }) => kind === 'message')) {
            storing.resolve();
            await held.promise;
          }
          await host.accept(events, position);
        },
      });
    const run = runRecorded(slowly, world.server.settings, { memory, secrets });
    runs.push(run);
    await run.connected();

    await world.antti.say({ conversation: 'keep me' });
    await storing.promise;
    const before = world.server.waiting();
    held.resolve();
    await world.server.until(() => world.server.waiting() === 0);

    assert.equal(before, 1);
    await arrived(run, 'keep me');
  });

  test('a message that could not be stored is delivered again, and can still be decrypted', async () => {
    let isFull = true;
    const run = await connect({
      beforeAccept(events) {
        if (isFull && events.some((event) => event.kind === 'message')) throw new Error('the disk is full');
      },
    });

    await world.antti.say({ conversation: 'no room for this' });
    await run.ended;
    isFull = false;
    const next = await connect();

    await arrived(next, 'no room for this');
    assert.equal(world.server.counts.retries, 0);
  });

  test('what the user writes on the phone is stored as their own, in its chat', async () => {
    const run = await connect();

    await world.phone.wrote(world.antti.jid, { conversation: 'from my phone' });
    await world.phone.sayInGroup(GROUP, { conversation: 'from my phone to all' });

    const message = await arrived(run, 'from my phone');
    assert.partialDeepStrictEqual(message, { chat: { id: world.antti.jid, type: 'direct' }, isOwn: true });
    assert.partialDeepStrictEqual(await arrived(run, 'from my phone to all'), { chat: { id: GROUP }, isOwn: true });
  });

  test('a person is one sender and one chat, by phone number and by LID', async () => {
    const { lid } = world.antti.person;
    const run = await connect();

    await world.antti.say({ conversation: 'by number' });
    await world.antti.say(
      { conversation: 'by LID' },
      { attrs: { from: `${lid}@lid`, sender_pn: world.antti.jid, sender_lid: '' } },
    );

    for (const text of ['by number', 'by LID']) {
      const message = await arrived(run, text);
      assert.deepEqual([message?.chat.id, message?.sender.id], [world.antti.jid, world.antti.jid]);
    }
  });

  test('a person who was stored by LID keeps that id when the phone number becomes known', async () => {
    const person = { pn: '4915112345678', lid: '300000000000003', name: 'Liisa' };
    const liisa = await createWhatsappUser(world.server, person);
    const run = await connect();
    const lid = `${person.lid}@lid`;

    await liisa.say({ conversation: 'who am I?' }, { attrs: { from: lid, sender_lid: '' } });
    await arrived(run, 'who am I?');
    await liisa.say({ conversation: 'it is me' });

    assert.equal((await arrived(run, 'who am I?'))?.chat.id, lid);
    assert.equal((await arrived(run, 'it is me'))?.chat.id, lid);
  });

  test('a message whose confirmation was lost is sent again with the same id, and stored once', async () => {
    const outgoing = { id: 'outbox-1', chat: world.antti.jid, text: 'did you get this?' };
    const run = await connect();
    world.server.loseAcks(true);

    const first = await run.connection.send?.(outgoing);
    await run.ended;
    world.server.loseAcks(false);
    const next = await connect();
    const looked = await next.connection.wasSent?.(outgoing);
    const second = await next.connection.send?.(outgoing);
    const afterwards = await next.connection.wasSent?.(outgoing);

    assert.deepEqual(
      [first?.kind, looked?.kind, second?.kind, afterwards?.kind],
      ['unknown', 'absent', 'sent', 'sent'],
    );
    assert.equal(world.server.heard.filter(({ text }) => text === outgoing.text).length, 1);
    assert.equal([...run.messages(), ...next.messages()].filter(({ text }) => text === outgoing.text).length, 1);
  });

  test('a message that cannot be decrypted is reported, and the connection continues', async () => {
    const run = await connect();

    world.antti.sayDamaged('DAMAGED');
    await world.server.until(() => world.server.counts.retries > 0);
    await world.antti.say({ conversation: 'after the damage' });

    await arrived(run, 'after the damage');
    assert.match(run.connection.problems?.()[0] ?? '', /^A message could not be decrypted/);
  });

  test('history in the message itself is stored oldest first, with names, and its progress is shown', async () => {
    const [part = {}] = historyOf(world.antti.jid, world.antti.jid, 20, 1);
    const run = await connect();

    await world.phone.sendHistory({ ...part, progress: 50 });
    await run.until(() => has(run, 'old 19'));

    const texts = run.messages().flatMap(({ text }) => (text.startsWith('old ') ? [text] : []));
    assert.deepEqual(
      texts,
      Array.from({ length: 20 }, (_, index) => `old ${index}`),
    );
    assert.deepEqual(run.connection.progress?.(), { done: 20, total: 40 });
  });

  test('the server asks for a restart: the connection is made again at once', async () => {
    const run = await connect();

    world.server.endAll('515');
    await world.antti.say({ conversation: 'after the restart' });

    await arrived(run, 'after the restart');
  });

  for (const [code, reason] of [
    ['440', /^Another program uses the same link .* switchboard chat login test$/],
    ['403', /^WhatsApp has locked this account/],
  ] as const) {
    test(`the server ends the connection with ${code}: it is not tried again, and the reason is clear`, async () => {
      const run = await connect();

      world.server.endAll(code);

      const end = (await run.ended) as { kind: string; reason: string };
      assert.equal(end.kind, 'rejected');
      assert.match(end.reason, reason);
    });
  }

  test('the phone unlinks the device: how to link it again is said, and the keys are deleted', async () => {
    const run = await connect();

    world.server.unlink();

    const end = (await run.ended) as { kind: string; reason: string };
    assert.equal(end.kind, 'rejected');
    assert.match(end.reason, /Link it again with: switchboard chat login test$/);
    assert.equal(secrets.size, 0);
  });

  test('linking shows QR codes until one is scanned; then nothing is asked any more', async () => {
    const link = () => whatsapp.login?.(world.server.settings, loginHost(secrets));
    const shown: LoginStep[] = [];

    const login = link();
    const first = await login?.next('');
    if (!first?.done && first?.value) shown.push(first.value);
    const [step] = shown;
    if (step?.kind === 'show-qr') world.server.scan(step.data);
    const end = await login?.next('');
    const again = await link()?.next('');

    assert.equal(step?.kind, 'show-qr');
    assert.deepEqual([end?.value, again?.value], [{ kind: 'done' }, { kind: 'done' }]);
    assert.deepEqual([...secrets.keys()], ['link']);
  });

  test('with a phone number, the account is linked by a code that is typed on the phone', async () => {
    const values = new Map<string, string>();
    const settings = { ...world.server.settings, phone: '+12025550100' };
    const login = whatsapp.login?.(settings, loginHost(values));

    const step = await login?.next('');
    assert.ok(step?.value?.kind === 'ask');
    const [, code = ''] = /Enter (\w{4}-\w{4}) there/.exec(step.value.label) ?? [];
    await world.server.enterCode(code.replace('-', ''));
    const end = await login?.next('');

    assert.deepEqual(end?.value, { kind: 'done' });
    assert.deepEqual([...values.keys()], ['link']);
  });

  test('a cancelled sign-in ends, and stores nothing', async () => {
    const stopping = new AbortController();
    const values = new Map<string, string>();
    const login = whatsapp.login?.(world.server.settings, { ...loginHost(values), signal: stopping.signal });
    await login?.next('');

    const ending = login?.next('');
    stopping.abort();
    const end = await ending;

    assert.partialDeepStrictEqual(end?.value, { kind: 'failed', reason: 'The sign-in was cancelled.' });
    assert.equal(values.size, 0);
  });
});

function loginHost(values: Map<string, string>) {
  return {
    source: 'test',
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    memory: { get: async () => undefined, set: async () => {} },
    secrets: {
      get: async (name: string) => values.get(name),
      set: async (name: string, value: string) => void values.set(name, value),
      delete: async (name: string) => void values.delete(name),
    },
  };
}
