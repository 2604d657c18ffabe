import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { imap } from '../../src/connectors/imap/index.ts';
import { accountWorld, endOf, stepOf } from '../support/email/account-world.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { startOAuthAuthority } from '../support/email/oauth-authority.ts';
import { silentLog } from '../support/operation-context.ts';

const authority = await startOAuthAuthority({ clientId: 'mine', clientSecret: 'of my client', deviceInterval: 0.05 });
const server = await startMailServer({ oauth: { introspectionUrl: authority.introspectionUrl } });
after(async () => {
  await server.stop();
  await authority.close();
});
const { address: email, password } = server.user('alice');
const [host, ca] = [server.host, server.ca.path];
const given = { email, ca, imap: { host, port: server.ports.imaps }, smtp: { host, port: server.ports.smtps } };
const { signal } = new AbortController();

let world: Awaited<ReturnType<typeof accountWorld>>;
beforeEach(async () => {
  world = await accountWorld();
});
afterEach(() => world.close());

describe('adding an account', () => {
  test('EMAIL-20 signs in to both servers, and saves it without the password', async () => {
    const added = endOf(await world.add({ ...given, id: 'work', name: 'Work', password }));

    assert.deepEqual([added.id, added.configuredIn], ['work', 'store']);
    const [row, ...others] = await world.repository.list();
    assert.deepEqual(others, []);
    assert.deepEqual(row?.settings, {
      email,
      name: 'Work',
      provider: 'imap',
      ca,
      imap: { host, port: server.ports.imaps, tls: true },
      smtp: { host, port: server.ports.smtps, tls: true },
      auth: {},
    });
    assert.deepEqual([...world.secrets.values], [['work password', password]]);
    assert.deepEqual(await world.access.credentials(added), { user: email, password });
  });

  test('asks for what is missing, the password last', async () => {
    const first = stepOf(await world.add({ ca }));
    const second = stepOf(await world.answer(first.id, email));
    const third = stepOf(await world.answer(first.id, `${host}:${server.ports.imaps}`));
    const fourth = stepOf(await world.answer(first.id, ''));
    const added = endOf(await world.answer(first.id, password));

    assert.deepEqual(
      [first, second, third, fourth].map(({ step }) => step.kind === 'ask' && [step.field, step.secret]),
      [
        ['email', false],
        ['imap_host', false],
        ['smtp_host', false],
        ['password', true],
      ],
    );
    assert.deepEqual([added.id, added.smtp], ['example', undefined]);
  });

  test('uses STARTTLS on the usual ports of it, and where it is told to', async () => {
    const { imap: imapPort, smtp: smtpPort } = server.ports;
    const tls = 'starttls' as const;

    const added = endOf(
      await world.add({ ...given, imap: { host, port: imapPort, tls }, smtp: { host, port: smtpPort, tls }, password }),
    );

    assert.deepEqual([added.imap.tls, added.smtp?.tls], ['starttls', 'starttls']);
  });

  test('fails where the server refuses the password, and says where; nothing is saved', async () => {
    await assert.rejects(world.add({ ...given, password: 'wrong' }), {
      code: 'VALIDATION_ERROR',
      message: new RegExp(`^Signing in to ${host}:${server.ports.imaps} \\(IMAP\\) as ${email} failed\\. `),
    });

    await nothingIsSaved();
  });

  test('fails where the server for sending is down, and says where; nothing is saved', async () => {
    await server.smtp.down();
    await assert.rejects(world.add({ ...given, password }), {
      code: 'NETWORK_ERROR',
      message: new RegExp(`^Signing in to ${host}:${server.ports.smtps} \\(SMTP\\) as ${email} failed\\. `),
    });
    await server.smtp.up();

    await nothingIsSaved();
  });

  test('fails where the certificate is not trusted', async () => {
    await assert.rejects(world.add({ ...given, ca: undefined, password }), { message: /certificate/ });
    await assert.rejects(world.add({ ...given, ca: '/nowhere/ca.pem', password }), {
      message: /The certificate of account example cannot be read: \/nowhere\/ca\.pem/,
    });

    await nothingIsSaved();
  });

  test('refuses an id that another account has, before it asks for anything', async () => {
    await world.repository.add({ id: 'work', settings: { email: 'a@b.test', provider: 'gmail' }, createdAt: 1 });

    await assert.rejects(world.add({ ...given, id: 'work' }), { code: 'CONFLICT', field: 'id' });
  });

  test('refuses an address that an account has already, unless it gets an id', async () => {
    endOf(await world.add({ ...given, password }));

    await assert.rejects(world.add({ ...given, email: email.toUpperCase() }), {
      code: 'CONFLICT',
      field: 'email',
      hint: /^Sign in to it with `switchboard email login example`/,
    });
    assert.equal(endOf(await world.add({ ...given, id: 'again', password })).id, 'again');
  });

  test('uses the server for reading for sending too if it answers, and otherwise asks for one', async () => {
    const answering = await accountWorld({ answers: async ({ port }) => port === 587 });

    const asked = await answering.add({ ...given, smtp: {} });
    await answering.close();

    assert.equal(stepOf(asked).step.kind, 'ask');
    await assert.rejects(world.add({ ...given, smtp: {} }), { code: 'VALIDATION_ERROR', field: 'smtp_host' });
  });

  test('uses a port or a kind of TLS that is given without a server, whatever finds the server', async () => {
    const { imap: imapPort, smtp: smtpPort } = server.ports;
    const tls = 'starttls' as const;
    const published = { imap: { host, port: 1, tls: true }, smtp: { host, port: 1, tls: true } };
    const finding = await accountWorld({ published: async () => published });

    const named = endOf(await world.add({ ...given, id: 'named', smtp: { port: server.ports.smtps }, password }));
    const asked = stepOf(
      await finding.add({ email, ca, imap: { port: imapPort, tls }, smtp: { port: smtpPort, tls }, password }),
    );
    const found = endOf(await finding.answer(asked.id, 'yes'));
    await finding.close();
    const typing = stepOf(await world.add({ email, ca, id: 'typed', imap: { tls }, smtp: given.smtp, password }));
    const typed = endOf(await world.answer(typing.id, `${host}:${imapPort}`));

    assert.deepEqual(
      [named, found, typed].map(({ imap: reading, smtp: sending }) => [
        reading.port,
        reading.tls,
        sending?.port,
        sending?.tls,
      ]),
      [
        [server.ports.imaps, true, server.ports.smtps, true],
        [imapPort, tls, smtpPort, tls],
        [imapPort, tls, server.ports.smtps, true],
      ],
    );
  });

  test('refuses what contradicts itself, and ports that there are not', async () => {
    const wrong = stepOf(await world.add({ email, ca }));

    await assert.rejects(world.answer(wrong.id, `${host}:99999`), { code: 'VALIDATION_ERROR', field: 'imap_host' });
    await assert.rejects(world.add({ ...given, receiveOnly: true }), {
      code: 'VALIDATION_ERROR',
      field: 'receive_only',
    });
  });

  test('saves nothing if the password cannot be stored', async () => {
    world.secrets.set = () => Promise.reject(new Error('the disk is full'));

    await assert.rejects(world.add({ ...given, password }), /the disk is full/);

    assert.deepEqual(await world.repository.list(), []);
  });

  async function nothingIsSaved(): Promise<void> {
    assert.deepEqual([await world.repository.list(), world.secrets.values.size], [[], 0]);
  }
});

describe('servers that were found', () => {
  const elsewhere = { imap: { host: 'localhost', port: server.ports.imaps, tls: true } };

  test('in another domain get no password before the person has agreed', async () => {
    const found = await accountWorld({ published: async () => elsewhere });

    const asked = stepOf(await found.add({ email, ca }));
    const agreed = stepOf(await found.answer(asked.id, 'yes'));
    const added = endOf(await found.answer(asked.id, password));
    await found.close();

    assert.match(
      asked.step.kind === 'ask' ? asked.step.label : '',
      /belong to another domain: reading by localhost:\d+\. Send your password there\? \(yes or no\)$/,
    );
    assert.equal(agreed.step.kind === 'ask' && agreed.step.field, 'password');
    assert.equal(added.imap.host, 'localhost');
  });

  test('are not used if the person does not agree', async () => {
    const found = await accountWorld({ records: async () => elsewhere });

    const asked = stepOf(await found.add({ email, ca }));
    const refused = stepOf(await found.answer(asked.id, ''));
    await found.close();

    assert.equal(refused.step.kind === 'ask' && refused.step.field, 'imap_host');
  });
});

describe('an account with OAuth', () => {
  const oauth = { clientId: 'mine', issuer: authority.issuer };
  const request = { ...given, smtp: {}, receiveOnly: true, oauth, clientSecret: 'of my client' };

  test('is signed in with the browser, and its tokens are in the secrets store only', async () => {
    const added = await signedIn();

    const session = await imap.connect(
      (await world.access.servers(added)).imap,
      await world.access.credentials(added),
      { signal, log: silentLog },
    );
    await session.close();

    const stored = JSON.stringify(await world.repository.list());
    assert.ok(authority.issued.length > 0);
    assert.deepEqual(
      [...authority.issued, 'of my client'].filter((secret) => stored.includes(secret)),
      [],
    );
    assert.deepEqual([...world.secrets.values.keys()].sort(), ['example client_secret', 'example refresh_token']);
  });

  test('is signed in with a code', async () => {
    const begun = stepOf(await world.add({ ...request, device: true }));
    const code = begun.step.kind === 'open' ? (begun.step.code ?? '') : '';

    authority.decideDevice(code, 'accept');
    const added = endOf(await world.answer(begun.id));

    assert.equal(added.email, email);
  });

  test('gets a new token when the old one has expired, until the sign-in is revoked', async () => {
    const added = await signedIn();
    const first = await world.access.credentials(added);

    world.clock.advance(2 * 60 * 60_000);
    const second = await world.access.credentials(added);
    authority.revoke(world.secrets.values.get('example refresh_token') ?? '');
    await world.access.refused(added, second);

    assert.notDeepEqual(first, second);
    await assert.rejects(world.access.credentials(added), {
      kind: 'rejected',
      message: /has expired or was revoked\. Sign in with `switchboard email login example`\.$/,
    });
  });

  test('is not added if the mail server does not accept the token', async () => {
    const begun = stepOf(await world.add({ ...request, user: 'bob@example.test' }));
    if (begun.step.kind === 'open') await fetch(begun.step.url);

    await assert.rejects(world.answer(begun.id), {
      code: 'VALIDATION_ERROR',
      message: /\(IMAP\) as bob@example\.test/,
    });

    assert.deepEqual([await world.repository.list(), world.secrets.values.size], [[], 0]);
  });

  test('asks for the client where the provider takes nothing else', async () => {
    for (const request of [
      { email: 'alice@outlook.com' },
      { email: 'alice@outlook.com', smtp: { port: 587 } },
      { email, provider: 'outlook', imap: { tls: true } },
    ] as const) {
      const asked = stepOf(await world.add(request));

      assert.equal(
        asked.step.kind === 'ask' && asked.step.label,
        'Id of your OAuth client (Outlook.com takes no password any more, only OAuth)',
      );
    }
  });

  async function signedIn() {
    const begun = stepOf(await world.add(request));
    if (begun.step.kind === 'open') await fetch(begun.step.url);
    return endOf(await world.answer(begun.id));
  }
});

describe('signing in again', () => {
  test('replaces the password once the servers have accepted it', async () => {
    const added = endOf(await world.add({ ...given, password }));
    await world.secrets.set(added.id, 'password', 'old');

    await assert.rejects(world.dialogs.login('local', added, { password: 'wrong' }), { code: 'VALIDATION_ERROR' });
    const between = world.secrets.values.get('example password');
    endOf(await world.dialogs.login('local', added, { password }));

    assert.deepEqual([between, world.secrets.values.get('example password')], ['old', password]);
  });
});
