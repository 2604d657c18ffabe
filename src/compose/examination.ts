import { join } from 'node:path';
import { configPort } from '../config/port.ts';
import { examine } from '../doctor/examine.ts';
import { ownHello } from '../lib/daemon-hello.ts';
import { version } from '../lib/version.ts';
import type { Secrets } from '../secrets/store.ts';
import type { MigrationPlan } from '../storage/definition.ts';

interface Parts {
  home: string;
  env: NodeJS.ProcessEnv;
  flags: Record<string, unknown>;
  secrets(): Promise<Secrets>;
  migrations(): Promise<MigrationPlan>;
}

/** The doctor, and whom it asks about each thing. */
export function examinationOf({ home, env, flags, secrets, migrations }: Parts) {
  return {
    examine: () =>
      examine({
        home,
        versions: { node: process.versions.node, program: version() },
        config: () => configPort({ home, env, flags }).examine(async (name) => (await secrets()).get('shared', name)),
        store: async () => {
          const { inspectStore } = await import('../storage/inspect.ts');
          return inspectStore(join(home, 'switchboard.db'), await migrations());
        },
        secrets: async () => lookAtSecrets(await secrets()),
        daemon: async () => {
          const { askStatus } = await import('../shim/attach.ts');
          return askStatus(home, await ownHello('status'));
        },
        sources: async () => {
          const { sourcesOf } = await import('./source-examination.ts');
          return sourcesOf({ home, env, flags });
        },
      }),
  };
}

/** A key that cannot be had shows only when a secret is asked for. */
async function lookAtSecrets(secrets: Secrets): Promise<string> {
  const [first] = await secrets.list();
  if (first) await secrets.get(first.group, first.name);
  return secrets.describe();
}
