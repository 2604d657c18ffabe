import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../../src/lib/clock.ts';
import { silentLog } from '../../operation-context.ts';
import { openStore } from '../../store/open-store.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { startConnectedSource, storedIn } from '../connected-source.ts';
import type { World } from '../contract.ts';

import { numbered, stageFor } from './stage.ts';

const KILLS = process.env.SOAK ? 40 : 4;
const AT_ONCE = 25;
const PROGRAM = join(import.meta.dirname, '..', 'connector-program.ts');

export function killedBehaviours(start: () => Promise<World>): void {
  describe('when the program is killed', () => {
    const stage = stageFor(start);

    test(`killed ${KILLS} times while messages arrive, it loses nothing and stores nothing twice`, async () => {
      const { world } = stage;
      const home = join(temporaryFolder(after), 'home');
      const said = numbered('said', KILLS * AT_ONCE);
      const acknowledged = new Set<string>();

      for (let kill = 0; kill < KILLS; kill++) {
        const words = said.slice(kill * AT_ONCE, (kill + 1) * AT_ONCE);
        for (const text of await talkUntilKilled(world, home, words)) acknowledged.add(text);
      }

      const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
      const before = (await storedIn(store, world.chats.group)).map(({ text }) => text);
      const connection = await startConnectedSource({ ...world, store });
      try {
        await connection.arrived(world.chats.group, said.at(-1) ?? '');
        await connection.historySettled();
        const texts = (await connection.texts(world.chats.group)).filter((text) => text.startsWith('said '));

        assert.deepEqual(
          [...acknowledged].filter((text) => text.startsWith('said ') && !before.includes(text)),
          [],
          'an acknowledged message was lost',
        );
        assert.deepEqual(texts, said);
      } finally {
        await connection.stop();
        await store.close();
      }
    });
  });
}

/** Returns the messages that the program acknowledged before it was killed. */
async function talkUntilKilled(
  { kind, settings, secrets = new Map(), peer }: World,
  home: string,
  words: string[],
): Promise<string[]> {
  const program = spawn(
    process.execPath,
    [PROGRAM, home, kind, JSON.stringify(settings), JSON.stringify([...secrets])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let heard = '';
  program.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    heard += chunk;
  });
  const [first = '', ...others] = words;
  try {
    await peer.say('group', first);
    if (heard === '') await Promise.race([once(program.stdout, 'data'), once(program, 'exit')]);
    const saying = Promise.all(others.map((text) => peer.say('group', text)));
    await sleep(Math.random() * 20);
    program.kill('SIGKILL');
    await saying;
  } finally {
    program.kill('SIGKILL');
  }
  if (!program.stdout.closed) await once(program, 'close');
  return heard.slice(0, heard.lastIndexOf('\n') + 1).split('\n');
}
