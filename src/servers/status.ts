import { z } from 'zod';
import type { StatusEntry } from '../capability.ts';
import type { ServersContext } from './operations/server-view.ts';

const ServersStatus = z
  .array(z.object({ id: z.string(), name: z.string(), state: z.string(), to_review: z.int().optional() }))
  .readonly();

/** The servers in the status of the program. */
export const statusEntry: StatusEntry<z.output<typeof ServersStatus>, Pick<ServersContext, 'servers'>> = {
  key: 'servers',
  description: 'Other MCP servers and their states.',
  schema: ServersStatus,
  async read({ servers }) {
    return (await servers.list()).map((server) => {
      const toReview = server.reviewed()?.differences.length ?? 0;
      const { state } = server.state();
      return { id: server.id, name: server.config().name, state, ...(toReview > 0 ? { to_review: toReview } : {}) };
    });
  },
  line: (servers) => `Servers: ${servers.map(shown).join(', ') || 'none'}.`,
};

function shown({ id, state, to_review: toReview }: z.output<typeof ServersStatus>[number]): string {
  return `${id} (${state}${toReview === undefined ? '' : `, ${toReview} to review`})`;
}
