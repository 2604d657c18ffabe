import { join } from 'node:path';
import type { AnyCapability, ProbeContext } from '../capability.ts';
import { loadConfig } from '../config/load.ts';
import type { ConfigModel } from '../config/model.ts';
import { configPort } from '../config/port.ts';
import type { Config } from '../config/schema.ts';
import { examine } from '../doctor/examine.ts';
import { ownHello } from '../lib/daemon-hello.ts';
import { version } from '../lib/version.ts';
import { nameOf } from '../operation.ts';
import type { Secrets } from '../secrets/store.ts';
import type { MigrationPlan } from '../storage/definition.ts';

interface Parts {
  definitions: readonly AnyCapability[];
  model: ConfigModel;
  home: string;
  env: NodeJS.ProcessEnv;
  flags: Record<string, unknown>;
  secrets(): Promise<Secrets>;
  migrations(): Promise<MigrationPlan>;
}

/** How long the owner of the home may take to answer a probe. */
const PROBE_TIMEOUT_MS = 10_000;

/** Doctor with its probes. */
export function examinationOf({ definitions, model, home, env, flags, secrets, migrations }: Parts) {
  const declared = async () => {
    const settings = await loadConfig({ model, home, env, flags }).then(
      ({ config }) => config,
      // Errors of the configuration are reported by the probe of the configuration itself.
      () => undefined,
    );
    const probes = await Promise.all(definitions.map((definition) => definition.probes?.() ?? []));
    const context: ProbeContext<Config> = { home, settings, ask: asker(home) };
    return probes.flat().map(({ check, examine: look }) => ({ check, examine: () => look(context) }));
  };
  return {
    examine: async () =>
      examine({
        home,
        versions: { node: process.versions.node, program: version() },
        config: () =>
          configPort({ model, home, env, flags }).examine(async (name) => (await secrets()).get('shared', name)),
        store: async () => {
          const { inspectStore } = await import('../storage/inspect.ts');
          return inspectStore(join(home, 'switchboard.db'), await migrations());
        },
        secrets: async () => lookAtSecrets(await secrets()),
        daemon: async () => {
          const { askStatus } = await import('../shim/attach.ts');
          return askStatus(home, ownHello('status'));
        },
        declared: await declared(),
      }),
  };
}

function asker(home: string): ProbeContext<unknown>['ask'] {
  return async (operation, input) => {
    const [{ attach }, { askDaemon }] = await Promise.all([
      import('../shim/attach.ts'),
      import('../daemon/ask-daemon.ts'),
    ]);
    const attached = await attach(home, ownHello('cli'));
    if (!attached) return undefined;
    const limit = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    return operation.output.parse(await askDaemon(attached.socket, nameOf(operation), input, () => {}, limit));
  };
}

/** A missing key is detected only when a secret is read. */
async function lookAtSecrets(secrets: Secrets): Promise<string> {
  const [first] = await secrets.list();
  if (first) await secrets.get(first.group, first.name);
  return secrets.describe();
}
