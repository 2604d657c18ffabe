import assert from 'node:assert/strict';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { assertFails, secretsIn } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';

const GROUPS = ['shared', 'server/x', 'oauth/x'];
const FILES = ['shared.json', 'server%2fx.json', 'oauth%2fx.json'];

async function storeWithSecrets(context: TestContext): Promise<string> {
  const home = temporaryFolder(context.after.bind(context));
  const secrets = secretsIn(home);
  for (const group of GROUPS) for (const name of ['A', 'B']) await secrets.set(group, name, `${name} of ${group}`);
  return home;
}

async function assertAllReadable(home: string): Promise<void> {
  const secrets = secretsIn(home);
  for (const group of GROUPS) {
    for (const name of ['A', 'B']) assert.equal(await secrets.get(group, name), `${name} of ${group}`);
  }
}

/** One key in the provider and in the record, and all items encrypted with it. */
function assertSettled(home: string): void {
  const folder = join(home, 'secrets');
  const { keys } = JSON.parse(readFileSync(join(folder, 'provider.json'), 'utf8'));
  const items = FILES.flatMap((file) =>
    Object.values<{ key: string }>(JSON.parse(readFileSync(join(folder, file), 'utf8')).items),
  );
  assert.equal(keys.length, 1);
  assert.equal(readFileSync(join(folder, 'master.key')).length, 32);
  assert.deepEqual([...new Set(items.map(({ key }) => key))], [keys[0].id]);
  assert.deepEqual(readdirSync(folder).sort(), ['master.key', 'provider.json', ...FILES].sort());
}

describe('rotation of the master key', () => {
  test('everything is encrypted with a new key, with unchanged values', async (context) => {
    const home = await storeWithSecrets(context);
    const before = readFileSync(join(home, 'secrets', 'master.key'));
    const listed = await secretsIn(home).list();

    const rotated = await secretsIn(home).rotate();

    assert.deepEqual(rotated, { secrets: 6 });
    assert.notDeepEqual(readFileSync(join(home, 'secrets', 'master.key')), before);
    assert.deepEqual(await secretsIn(home).list(), listed);
    await assertAllReadable(home);
    assertSettled(home);
  });

  test('a process that had the store open before uses the new key', async (context) => {
    const home = await storeWithSecrets(context);
    const opened = secretsIn(home);
    await opened.get('shared', 'A');

    await secretsIn(home).rotate();
    await opened.set('shared', 'B', 'B of shared');

    assert.equal(await opened.get('server/x', 'A'), 'A of server/x');
    await assertAllReadable(home);
    assertSettled(home);
  });

  test('after an interruption at any point, everything is readable, and the next use completes the rotation', async (context) => {
    const folder = temporaryFolder(context.after.bind(context));
    const before = await storeWithSecrets(context);
    const after = join(folder, 'after');
    copyHome(before, after);
    await secretsIn(after).rotate();

    await fc.assert(
      fc.asyncProperty(anyCut, fc.constantFrom('read', 'write'), async (cut, use) => {
        const home = join(folder, 'cut');
        layOut(home, before, after, cut);

        if (use === 'write') await secretsIn(home).set('shared', 'A', 'A of shared');
        await assertAllReadable(home);

        assertSettled(home);
        rmSync(home, { recursive: true });
      }),
      { numRuns: 60 },
    );
  });

  test('a damaged secret prevents the rotation from starting', async (context) => {
    const home = await storeWithSecrets(context);
    const path = join(home, 'secrets', 'server%2fx.json');
    const { v, items } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ v, items: { A: items.B, B: items.B } }));
    const key = readFileSync(join(home, 'secrets', 'master.key'));

    await assertFails(secretsIn(home).rotate(), 'SERVICE_UNAVAILABLE', /secret A in .*server%2fx\.json/);

    assert.deepEqual(readFileSync(join(home, 'secrets', 'master.key')), key);
    assert.equal(await secretsIn(home).get('shared', 'A'), 'A of shared');
  });

  test('a group that is damaged during a rotation does not affect the others', async (context) => {
    const before = await storeWithSecrets(context);
    const after = join(temporaryFolder(context.after.bind(context)), 'after');
    const home = join(temporaryFolder(context.after.bind(context)), 'cut');
    copyHome(before, after);
    await secretsIn(after).rotate();
    layOut(home, before, after, { keys: 'both', resealed: ['shared.json'] });
    writeFileSync(join(home, 'secrets', 'oauth%2fx.json'), 'damaged');

    const secrets = secretsIn(home);
    await secrets.set('shared', 'C', 'value of C');

    assert.equal(await secrets.get('server/x', 'A'), 'A of server/x');
    assert.equal(await secretsIn(home).get('shared', 'C'), 'value of C');
    await assertFails(secrets.rotate(), 'SERVICE_UNAVAILABLE', /oauth%2fx\.json is damaged/);
    cpSync(join(before, 'secrets', 'oauth%2fx.json'), join(home, 'secrets', 'oauth%2fx.json'));
    await secretsIn(home).rotate();
    await assertAllReadable(home);
    assertSettled(home);
  });
});

function copyHome(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  chmodSync(join(to, 'secrets'), 0o700);
}

interface Cut {
  keys: 'old' | 'both' | 'new';
  /** Files that are already written with the new key. */
  resealed: readonly string[];
}

/**
 * The steps in their order: the record, the new key beside the old one, the files one by one, the new key alone, the
 * record.
 */
const anyCut: fc.Arbitrary<Cut> = fc.oneof(
  fc.constant<Cut>({ keys: 'old', resealed: [] }),
  fc.record({ keys: fc.constant('both' as const), resealed: fc.subarray(FILES) }),
  fc.constant<Cut>({ keys: 'new', resealed: FILES }),
);

/** A home as a crash at this step leaves it. */
function layOut(home: string, before: string, after: string, { keys, resealed }: Cut): void {
  const of = (place: string, file: string) => readFileSync(join(place, 'secrets', file));
  const put = (file: string, content: Buffer | string) => writeFileSync(join(home, 'secrets', file), content);
  copyHome(before, home);
  const [old, fresh] = [before, after].map((place) => JSON.parse(of(place, 'provider.json').toString()));
  put('provider.json', JSON.stringify({ ...old, keys: [...old.keys, ...fresh.keys] }));
  const ring = { old: [before], both: [before, after], new: [after] }[keys];
  put('master.key', Buffer.concat(ring.map((place) => of(place, 'master.key'))));
  for (const file of resealed) put(file, of(after, file));
}
