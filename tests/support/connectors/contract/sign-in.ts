import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConnectedSource } from '../connected-source.ts';
import type { World } from '../contract.ts';
import { needed, stageFor } from './stage.ts';

export function signInBehaviours(start: () => Promise<World>): void {
  describe('interactive sign-in', () => {
    const stage = stageFor(start);
    const secrets = new Map<string, string>();
    const connect = () => stage.connect({ settings: needed(stage.world.login).settings, secrets });

    test('before it, the source is rejected with a hint; a wrong answer fails, and the sign-in starts over', async () => {
      const connection = await connect();
      await connection.isState('rejected');

      const end = await answered(connection, needed(stage.world.login).wrong);

      assert.equal(end.kind, 'failed');
      assert.match((await connection.view()).problem ?? '', /switchboard chat login/);
      assert.equal(secrets.size, 0);
      await connection.stop();
    });

    test('correct answers connect the source, and the credentials are stored only as a secret', async () => {
      const { answers } = needed(stage.world.login);
      const connection = await connect();
      await connection.isState('rejected');

      const end = await answered(connection, answers);
      connection.retry();
      await connection.isState('connected');

      assert.deepEqual(end, { kind: 'done' });
      assert.ok(secrets.size > 0);
      await connection.stop();
    });

    test('the next start asks nothing, and a second sign-in is done immediately', async () => {
      const connection = await connect();
      await connection.isState('connected');

      assert.deepEqual(await connection.login({ by: 'local' }), { kind: 'done' });
    });
  });
}

/** Answers every question by its field; returns the last progress. */
async function answered(connection: ConnectedSource, answers: Record<string, string>) {
  let progress = await connection.login({ by: 'local' });
  for (let asked = 0; progress.kind === 'step' && asked < 10; asked++) {
    const { loginId, step } = progress;
    assert.ok(step.kind === 'ask' && answers[step.field] !== undefined, JSON.stringify(step));
    progress = await connection.login({ by: 'local', loginId, answer: answers[step.field] });
  }
  return progress;
}
