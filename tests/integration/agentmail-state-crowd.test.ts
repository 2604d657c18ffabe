import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROGRAM = new URL('../support/agentmail/state-writer.ts', import.meta.url);
const ROUNDS = process.env.SOAK ? 50 : 8;
const PROCESSES = 6;

test(`${PROCESSES} processes that create and write the delivery state together never take it for a stranger's`, async () => {
  const folder = temporaryFolder(after);
  for (let round = 0; round < ROUNDS; round += 1) {
    const mailFolder = join(folder, `project-${round}`, '.agentmail');
    mkdirSync(mailFolder, { recursive: true });

    const codes = await Promise.all(
      Array.from({ length: PROCESSES }, async () => {
        const child = fork(PROGRAM, [mailFolder], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
        const [code] = await once(child, 'exit');
        return code;
      }),
    );

    assert.deepEqual(new Set(codes), new Set([0]));
    const files = readdirSync(join(mailFolder, 'switchboard'));
    assert.deepEqual(
      files.filter((name) => /untrusted|damaged/.test(name)),
      [],
    );
  }
});
