import { z } from 'zod';
import type { StatusEntry } from '../../capability.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { formerInForce } from '../former-in-force.ts';
import type { StatusPort } from '../ports.ts';

export const status = operation({
  mcp: { name: 'switchboard_status', title: 'Status' },
  cli: { path: 'status', examples: ['switchboard status', 'switchboard status --json'] },
  rest: { method: 'GET', path: '/status' },
  kind: 'query',
  effect: 'reads',
  confined: true,
  description: 'Status of Switchboard: version, uptime, capabilities, sources, other MCP servers, store.',
  input: z.strictObject({}),
  output: outputWith([]),
  run: (_, context: OperationContext & { status: StatusPort }) => context.status.status(context),
  render: textWith([]),
  complete: ({ status }) => ({ output: outputWith(status), render: textWith(status) }),
});

/** The status of the capabilities is after their names. */
function outputWith(entries: readonly StatusEntry[]) {
  return z.object({
    version: z.string(),
    uptime_ms: z.int().min(0),
    capabilities: z.array(z.string()).readonly(),
    ...Object.fromEntries(entries.map(({ key, schema }) => [key, schema])),
    sessions: z.int().min(0),
    clients_without_session: z.int().min(0).optional(),
    config_problem: z.string().optional(),
    store: z
      .object({
        kind: z.enum(['sqlite', 'postgres']),
        location: z.string(),
        bytes: z.int(),
        schema: z.int(),
      })
      .optional(),
    secrets: z.string().optional(),
  });
}

function textWith(entries: readonly StatusEntry[]) {
  return (output: z.output<ReturnType<typeof outputWith>>) => {
    const { version, uptime_ms, capabilities, sessions, store, secrets, config_problem: problem } = output;
    const { clients_without_session: others = 0 } = output;
    return [
      `Switchboard ${version}, up for ${duration(uptime_ms)}.`,
      `Capabilities: ${capabilities.join(', ') || 'none'}.`,
      ...entries.map(({ key, line }) => line((output as Record<string, unknown>)[key])),
      `Sessions open: ${sessions}.${others === 0 ? '' : ` Clients without a session: ${others}.`}`,
      ...(problem === undefined ? [] : [formerInForce(problem)]),
      ...(store
        ? [`Store: ${store.kind} at ${store.location}, ${formatBytes(store.bytes)}, schema ${store.schema}.`]
        : []),
      ...(secrets === undefined ? [] : [`Secrets: ${secrets}.`]),
    ].join('\n');
  };
}

function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return `${Math.floor(ms / 1000)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  const days = Math.floor(hours / 24);
  return days === 0 ? `${hours} h ${minutes % 60} min` : `${days} d ${hours % 24} h`;
}
