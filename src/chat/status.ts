import { z } from 'zod';
import type { StatusEntry } from '../capability.ts';
import type { Sources } from './sources.ts';

const SourcesStatus = z.array(z.object({ id: z.string(), name: z.string(), is_connected: z.boolean() })).readonly();

/** The sources in the status of the program. */
export const sourcesStatus: StatusEntry<z.output<typeof SourcesStatus>, { sources: Sources }> = {
  key: 'sources',
  description: 'Sources and whether they are connected.',
  schema: SourcesStatus,
  async read({ sources }) {
    const all = await sources.list();
    return all.map(({ id, name, isConnected }) => ({ id, name, is_connected: isConnected }));
  },
  line: (sources) =>
    `Sources: ${sources.map(({ id, is_connected }) => `${id} (${is_connected ? 'connected' : 'not connected'})`).join(', ') || 'none'}.`,
};
