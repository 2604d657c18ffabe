import type { SecretGroups } from '../../capability.ts';
import { keysOf } from './values.ts';

/** The group of a server's OAuth tokens in the secrets store. */
const tokensOf = (id: string) => `oauth/${id}`;

/** The secrets of servers: one file for the keys of each, and one for its OAuth tokens. */
export function createServerSecrets(secrets: () => Promise<SecretGroups>) {
  return {
    async names(id: string): Promise<ReadonlySet<string>> {
      return new Set((await (await secrets()).list(keysOf(id))).map(({ name }) => name));
    },
    async set(id: string, values: ReadonlyMap<string, string>): Promise<void> {
      const store = await secrets();
      for (const [name, value] of values) await store.set(keysOf(id), name, value);
    },
    async delete(id: string, name: string): Promise<boolean> {
      return (await secrets()).delete(keysOf(id), name);
    },
    async deleteAll(id: string): Promise<void> {
      const store = await secrets();
      await store.deleteGroup(keysOf(id));
      await store.deleteGroup(tokensOf(id));
    },
  };
}

export type ServerSecrets = ReturnType<typeof createServerSecrets>;
