import type { ServerConfig } from '../../domain/server-config.ts';
import { defineServer } from '../config/define-server.ts';
import type { ServerInput } from '../config/server-input.ts';
import type { ServerLogins } from './machinery.ts';
import type { ManagedServer } from './managed-server.ts';
import type { ServerSecrets } from './server-secrets.ts';
import type { Servers } from './servers.ts';

/** Changes of the configured servers, with their secrets. */
export interface ServerAdministration {
  /** Checks and saves a server, and starts it in the background. `secrets` are those that its URL refers to. */
  create(input: ServerInput & { secrets?: Readonly<Record<string, string>> }): Promise<ManagedServer>;
  /** Changes the given fields. */
  update(server: ManagedServer, input: ServerInput): Promise<ManagedServer>;
  remove(server: ManagedServer): Promise<void>;
  /** Stores a secret and hands it to the server as a variable of that name. */
  setSecret(server: ManagedServer, key: string, value: string): Promise<void>;
  /** Deletes those that its configuration no longer refers to. */
  deleteSecrets(server: ManagedServer, names: readonly string[]): Promise<void>;
}

/** Secrets that are no variables. */
const OTHER_SECRETS = /^(?:bearer_token|oauth_client_secret|header\..*)$/;

interface AdministrationParts {
  servers: Servers;
  secrets: ServerSecrets;
  logins: Pick<ServerLogins, 'logout'>;
}

export function serverAdministration({ servers, secrets, logins }: AdministrationParts): ServerAdministration {
  return {
    async create({ secrets: inUrl = {}, ...input }) {
      const { config, secrets: given } = defineServer(input);
      // Before its secrets are stored: they would replace those of a server with the same id.
      const release = await servers.reserve(config.id);
      try {
        await secrets.set(config.id, new Map([...given, ...Object.entries(inUrl)]));
        const added = await servers.add(config);
        if (config.enabled && config.start === 'eager') void added.start().catch(() => {});
        return added;
      } finally {
        release();
      }
    },
    async update(server, input) {
      const before = server.config();
      const known = await secrets.names(server.id);
      const { config, secrets: given } = defineServer({ ...asInput(before), ...input }, known);
      await secrets.set(server.id, given);
      const changed = await servers.change({ ...config, id: server.id, enabled: before.enabled });
      if (config.enabled !== before.enabled) await servers[config.enabled ? 'enable' : 'disable'](changed);
      return changed;
    },
    async remove(server) {
      const { id, auth, transport } = server.config();
      await servers.remove(server);
      try {
        if (auth.type === 'oauth' && 'url' in transport) await logins.logout({ id, auth, url: transport.url });
      } finally {
        await secrets.deleteAll(id);
      }
    },
    async setSecret(server, key, value) {
      await secrets.set(server.id, new Map([[key, value]]));
      const config = server.config();
      const isKnown = OTHER_SECRETS.test(key) || config.env_vars[key]?.secret_ref === key;
      if (isKnown) return server.reconfigure(config);
      const env = { ...config.env_vars, [key]: { is_secret: true, secret_ref: key } };
      await servers.change({ ...config, env_vars: env });
    },
    async deleteSecrets(server, names) {
      const { env_vars: env, headers, ...config } = server.config();
      const values = [...Object.values(env), ...Object.values(headers)];
      const texts = JSON.stringify([config, values]);
      const isUsed = (name: string) =>
        texts.includes(`\${secret:${name}}`) || values.some(({ secret_ref: ref }) => ref === name);
      for (const name of names) if (!isUsed(name)) await secrets.delete(server.id, name);
    },
  };
}

/** A configuration is also what a caller could give, but for lists that cannot be changed. */
function asInput({ id, ...config }: ServerConfig): ServerInput {
  return config as unknown as ServerInput;
}
