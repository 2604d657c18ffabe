import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  type ScriptedSmtpServer,
  type SmtpScript,
  startScriptedSmtpServer,
} from '../../../../tests/support/email/scripted-smtp-server.ts';
import { checkSending } from './send.ts';

const servers: ScriptedSmtpServer[] = [];
const signal = new AbortController().signal;

after(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

async function start(mechanisms: string, commands: SmtpScript['commands'] = {}): Promise<ScriptedSmtpServer> {
  const server = await startScriptedSmtpServer({
    commands: { EHLO: `250-mail.test\r\n250 AUTH ${mechanisms}`, ...commands },
  });
  servers.push(server);
  return server;
}

function check({ port }: ScriptedSmtpServer, accessToken = 'token-1', user = 'alice@example.test'): Promise<void> {
  return checkSending({ host: '127.0.0.1', port, tls: false }, { user, accessToken }, signal);
}

test('an access token is given as XOAUTH2 where the server names it', async () => {
  const server = await start('PLAIN XOAUTH2 OAUTHBEARER');

  await check(server);

  const [, , message = ''] = server.lines.find((line) => line.startsWith('AUTH XOAUTH2'))?.split(' ') ?? [];
  assert.equal(Buffer.from(message, 'base64').toString(), 'user=alice@example.test\x01auth=Bearer token-1\x01\x01');
});

test('otherwise it is given as OAUTHBEARER', async () => {
  const server = await start('PLAIN OAUTHBEARER');

  await check(server, 'token-1', 'a=b,c@example.test');

  const [, , message = ''] = server.lines.find((line) => line.startsWith('AUTH OAUTHBEARER'))?.split(' ') ?? [];
  assert.equal(
    Buffer.from(message, 'base64').toString(),
    `n,a=a=3Db=2Cc@example.test,\x01host=127.0.0.1\x01port=${server.port}\x01auth=Bearer token-1\x01\x01`,
  );
});

test('a token that is not accepted is a rejection, also where the server explains it first', async () => {
  const challenge = `334 ${Buffer.from('{"status":"401"}').toString('base64')}`;
  const denied = { AUTH: challenge, '': '535 5.7.8 no', 'AQ==': '535 5.7.8 no' };

  for (const server of [
    await start('XOAUTH2', denied),
    await start('OAUTHBEARER', denied),
    await start('XOAUTH2', { AUTH: '535 5.7.8 no' }),
  ]) {
    await assert.rejects(check(server), {
      name: 'MailError',
      kind: 'rejected',
      message: /access token \(535 5\.7\.8\)/,
    });
  }
});

test('a token that cannot be checked now is no rejection', async () => {
  const server = await start('XOAUTH2', { AUTH: '454 4.7.0 later' });

  await assert.rejects(check(server), { name: 'MailError', kind: 'lost' });
});

test('a token or user that could end its field is not sent', async () => {
  const server = await start('XOAUTH2');

  await assert.rejects(check(server, 'a\x01auth=Bearer b'), { kind: 'rejected' });
  await assert.rejects(check(server, 'a', 'alice\x01auth=x'), { kind: 'rejected' });
  assert.ok(!server.lines.some((line) => line.startsWith('AUTH')));
});
