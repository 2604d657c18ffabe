import { z } from 'zod';
import { toTimestamp } from './message-view.ts';
import type { SourceView } from './sources.ts';

/** Output fields of an answer that may lack the newest messages. */
export const freshness = {
  is_connected: z.boolean().optional(),
  stale_since: z.string().optional(),
};

/** Empty if the source is connected. */
export function freshnessOf({ isConnected, staleSince }: Pick<SourceView, 'isConnected' | 'staleSince'>): {
  is_connected?: boolean;
  stale_since?: string;
} {
  if (isConnected) return {};
  return { is_connected: false, ...(staleSince === undefined ? {} : { stale_since: toTimestamp(staleSince) }) };
}

/** The same as a sentence; empty if the source is connected. */
export function staleness(output: { is_connected?: boolean | undefined; stale_since?: string | undefined }): string[] {
  if (output.is_connected !== false) return [];
  return [
    `Not connected${output.stale_since === undefined ? '' : ` since ${output.stale_since}`}: newer may be missing.`,
  ];
}
