import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { writeConfig } from '../support/chat/live-home.ts';
import { startMailServer } from '../support/email/mail-server.ts';
import { type OAuthAuthority, startOAuthAuthority } from '../support/email/oauth-authority.ts';
import { removeHome, until } from '../support/mcp/shim-program.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const authority = await startOAuthAuthority();
const server = await startMailServer({ oauth: { introspectionUrl: authority.introspectionUrl } });
after(async () => {
  await server.stop();
  await authority.close();
});
const { address, password } = server.user('alice');
const reading = ['--imap-host', server.host, '--imap-port', String(server.ports.imaps)];
const sending = ['--smtp-host', server.host, '--smtp-port', String(server.ports.smtps)];
const ADD = ['email', 'add', '--email', address, '--ca', server.ca.path, ...reading];

describe('email accounts by command', { timeout: 300_000 }, () => {
  test('are added once their servers accept the password, connected at once, and removed with everything', async (context) => {
    const home = newHome('password', context);
    const run = (args: string[], stdin = '') => runProgram(args, { home, stdin });

    const wrong = await run([...ADD, ...sending], 'not the password\n');
    const added = await run([...ADD, ...sending, '--id', 'work', '--json'], `${password}\n`);
    const synced = await run(['email', 'sync', 'work']);
    const listed = await run(['email', 'accounts', '--json']);
    const findings = await run(['doctor', '--json']);
    const files = contentsOf(home);
    const removed = await run(['email', 'remove', 'work']);
    const after = await run(['email', 'accounts', '--json']);

    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /^Signing in to 127\.0\.0\.1:\d+ \(IMAP\) as alice@example\.test failed\. /);
    assert.equal(added.code, 0, added.stderr);
    const [asked, done] = linesOf(added.stdout);
    assert.deepEqual([asked.step.field, asked.step.secret, done.account], ['password', true, 'work']);
    assert.equal(synced.code, 0, synced.stderr);
    const [account] = JSON.parse(listed.stdout).accounts;
    assert.deepEqual(
      [account.id, account.email, account.provider, account.configured_in, account.is_connected, account.can_send],
      ['work', address, 'imap', 'store', true, true],
    );
    assert.match(findings.stdout, /work \(alice@example\.test\) reads and sends\./);
    assert.deepEqual([removed.stdout, after.stdout], ['Removed work with 0 emails.\n', '{"accounts":[]}\n']);
    assert.ok(!files.includes(password), 'the password is stored encrypted only');
    assert.deepEqual(
      [files, contentsOf(home)].map((all) => all.includes('account%2fwork')),
      [true, false],
    );
  });

  test('sign in with OAuth in a browser, and sign out', async (context) => {
    const home = newHome('oauth', context);
    const run = (args: string[], stdin = '') => runProgram(args, { home, stdin });
    const oauth = ['--oauth-issuer', authority.issuer, '--client-id', 'client', '--receive-only', '--id', 'work'];

    const added = await signInWithBrowser([...ADD, ...oauth], home, '\n');
    const listed = await run(['email', 'accounts', '--json']);
    const out = await run(['email', 'logout', 'work']);
    const signedOut = await run(['email', 'accounts']);
    const again = await signInWithBrowser(['email', 'login', 'work'], home);
    const logs = await run(['daemon', 'logs', '-n', '1000']);

    assert.match(added.stdout, /^Added work \(alice@example\.test\), .* It cannot send\./, added.stderr);
    assert.equal(JSON.parse(listed.stdout).accounts[0].is_connected, true);
    assert.equal(out.code, 0, out.stderr);
    assert.match(signedOut.stdout, /It was signed off; `switchboard email login work` connects it again\./);
    assert.equal(again.stdout, 'work is signed in and connected.\n');
    const shown = [added, listed, out, signedOut, again, logs].map(({ stdout, stderr }) => stdout + stderr).join('\n');
    assertNoTokens(authority, shown + contentsOf(home));
  });

  test('in the file are not removed by command; their password may be in the secrets store', async (context) => {
    const home = newHome('file', context);
    const run = (args: string[], stdin = '') => runProgram(args, { home, stdin });
    const imap = { host: server.host, port: server.ports.imaps };
    writeConfig(home, { accounts: { work: { email: address, imap, ca: server.ca.path } } });

    await until('the account was rejected', async () =>
      (await run(['email', 'accounts'])).stdout.includes('has no password'),
    );
    const before = await run(['email', 'accounts']);
    const signedIn = await run(['email', 'login', 'work'], `${password}\n`);
    const removed = await run(['email', 'remove', 'work']);

    assert.match(before.stdout, /work: Account work has no password\. Store it with `switchboard email login work`\./);
    assert.equal(signedIn.stdout, 'work is signed in and connected.\n', signedIn.stderr);
    assert.equal(removed.code, 1);
    assert.match(removed.stderr, /is in config\.yaml/);
  });
});

function newHome(name: string, context: { after(end: () => void): void }): string {
  const home = join(folder, name);
  context.after(() => removeHome(home));
  return home;
}

/** Runs a command, and opens the page that it shows as a browser would. */
async function signInWithBrowser(args: string[], home: string, stdin = '') {
  const program = startProgram(args, { home });
  program.stdin.end(stdin);
  let [stdout, stderr, opened] = ['', '', false];
  program.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  program.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
    const [url] = /http:\/\/\S+\/authorize\S+(?=\s)/.exec(stderr) ?? [];
    if (url === undefined || opened) return;
    opened = true;
    fetch(url).catch((error: unknown) => program.kill() && assert.fail(String(error)));
  });
  await new Promise((resolve) => program.once('close', resolve));
  return { stdout, stderr };
}

function assertNoTokens({ issued }: OAuthAuthority, text: string): void {
  assert.ok(issued.length > 0);
  assert.deepEqual(
    issued.filter((token) => text.includes(token)),
    [],
  );
}

function linesOf(text: string) {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Names and contents of all files of a home. */
function contentsOf(home: string): string {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => name + readFileSync(join(parentPath, name), 'latin1'))
    .join('\n');
}
