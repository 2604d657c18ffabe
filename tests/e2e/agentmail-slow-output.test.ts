import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { flock } from '../../src/lib/flock.ts';
import { original } from '../support/agentmail/original.ts';
import { agentmailPath, createMailWorld } from '../support/agentmail/program.ts';
import { programEnvironment } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** More than a pipe or a socket holds. */
const LONG = 'x'.repeat(1_000_000);

describe('a letter whose output is not read', () => {
  const { server, project, as, mailbox } = createMailWorld(after, temporaryFolder(after));
  const path = join(project, '.agentmail', 'mailboxes', 'a1.jsonl');
  const a1 = server.first;
  const a2 = server.addWindow('a2');
  mkdirSync(join(path, '..'), { recursive: true });

  /** A letter of the original program, which knows no limit, in a mailbox of its own. */
  async function letterInMailbox(): Promise<string> {
    writeFileSync(path, '');
    return original.send(path, { from: 'a2', to: 'a1', message: LONG });
  }

  /** Into a pipe that is read only after a line on standard input. Its first line on standard error is the pid. */
  function receiveIntoPipe() {
    const script = 'exec 3<&0; { sh -c \'echo $$ >&2; exec "$@"\' sh "$@" 3<&-; } | { read go <&3; exec cat; }';
    const child = spawn('sh', ['-c', script, 'sh', process.execPath, agentmailPath, 'receive'], {
      cwd: project,
      env: programEnvironment({ env: server.env(a1) }),
    });
    return {
      printed: text(child.stdout),
      pid: once(child.stderr.setEncoding('utf8'), 'data').then(([line]) => Number(line)),
      read: () => child.stdin.end('go\n'),
    };
  }

  async function isLocked(): Promise<boolean> {
    const file = openSync(path, 'r');
    try {
      return !(await flock(file, 'shared', 0));
    } finally {
      closeSync(file);
    }
  }

  async function untilLocked(): Promise<void> {
    while (!(await isLocked())) await sleep(1);
  }

  test('keeps others from the mailbox only for a time, and is printed whole and marked when it is read', async () => {
    const id = await letterInMailbox();
    const reader = receiveIntoPipe();
    await untilLocked();

    const sent = await as(a2, 'send', 'a1', 'second');
    const [first] = mailbox('a1');
    reader.read();

    assert.equal(sent.code, 0, sent.stderr);
    assert.equal(first?.read_flag, false);
    assert.equal(await reader.printed, `From: a2\nID: ${id}\n\n${LONG}`);
    assert.match((await as(a1, 'receive')).stdout, /^From: a2\n.*\n\nsecond$/);
  });

  test('is free at once when its reader is killed', async () => {
    const id = await letterInMailbox();
    const reader = receiveIntoPipe();
    await untilLocked();

    process.kill(await reader.pid, 'SIGKILL');
    const again = await as(a1, 'receive');
    reader.read();

    assert.equal(again.stdout, `From: a2\nID: ${id}\n\n${LONG}`);
    assert.ok(LONG.length > (await reader.printed).length);
  });
});
