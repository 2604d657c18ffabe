import { z } from 'zod';
import type { StatusEntry } from '../capability.ts';
import type { ServersContext } from './operations/server-view.ts';

const Status = z.object({
  configured: z.int(),
  running: z.int(),
  failed: z.array(z.string()),
  to_review: z.array(z.string()),
});

type Status = z.output<typeof Status>;

/** The part of the status of the program. */
export const statusEntry: StatusEntry<Status, ServersContext> = {
  key: 'servers',
  description: 'Other MCP servers.',
  schema: Status,
  async read({ servers }) {
    const all = await servers.list();
    const ids = (wanted: (server: (typeof all)[number]) => boolean) => all.filter(wanted).map(({ id }) => id);
    return {
      configured: all.length,
      running: ids((server) => server.state().state === 'running').length,
      failed: ids((server) => server.state().state === 'error'),
      to_review: ids((server) => (server.reviewed()?.differences.length ?? 0) > 0),
    };
  },
  line({ configured, running, failed, to_review: toReview }) {
    if (configured === 0) return 'servers: none';
    const problems = failed.length > 0 ? `, in error: ${failed.join(', ')}` : '';
    const review = toReview.length > 0 ? `, to review: ${toReview.join(', ')}` : '';
    return `servers: ${running} of ${configured} running${problems}${review}`;
  },
};
