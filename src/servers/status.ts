import { z } from 'zod';
import type { StatusEntry } from '../capability.ts';
import type { ServersContext } from './operations/server-view.ts';

const ServersStatus = z
  .array(
    z.object({
      id: z.string(),
      name: z.string(),
      state: z.string(),
      message: z.string().optional(),
      to_review: z.int().optional(),
    }),
  )
  .readonly();

/** Other MCP servers in the status of the program. */
export const serversStatus: StatusEntry<z.output<typeof ServersStatus>, ServersContext> = {
  key: 'servers',
  description: 'Other MCP servers and their states.',
  schema: ServersStatus,
  async read({ servers }) {
    return (await servers.list()).map((server) => {
      const state = server.state();
      const toReview = server.reviewed()?.differences.length ?? 0;
      return {
        id: server.id,
        name: server.config().name,
        state: state.state,
        ...(state.state === 'error' ? { message: state.problem.message } : {}),
        ...(toReview > 0 ? { to_review: toReview } : {}),
      };
    });
  },
  line(servers) {
    const shown = servers.map(({ id, state, to_review: toReview }) =>
      toReview === undefined ? `${id} (${state})` : `${id} (${state}, ${toReview} to review)`,
    );
    return `Servers: ${shown.join(', ') || 'none'}.`;
  },
};
