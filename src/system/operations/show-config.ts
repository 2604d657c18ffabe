import { z } from 'zod';
import type { Json } from '../../domain/json.ts';
import { operation } from '../../operation.ts';
import type { ConfigPort } from '../config-port.ts';

const WIDEST_VALUE = 60;

export const showConfig = operation({
  cli: { local: true, path: 'config show', examples: ['switchboard config show', 'switchboard config show --json'] },
  rest: { method: 'GET', path: '/config' },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: 'All settings in force and where each comes from: default, file, environment variable or flag.',
  input: z.strictObject({}),
  output: z.object({
    file: z.string().nullable().describe('Path of the configuration file; null if there is none.'),
    settings: z
      .array(z.object({ key: z.string(), value: z.json().describe('Secrets are masked.'), origin: z.string() }))
      .readonly(),
    warnings: z.array(z.string()).readonly(),
  }),
  run: (_, { config }: { config: ConfigPort }) => config.settings(),
  render: ({ file, settings, warnings }) =>
    [
      ...columns(settings.map(({ key, value, origin }) => [key, asWritten(value), origin])),
      '',
      file === null ? 'There is no configuration file.' : `The file is ${file}`,
      ...warnings.map((warning) => `Warning: ${warning}`),
    ].join('\n'),
});

/** As it would be written in the file. */
function asWritten(value: Json): string {
  if (value === null) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > WIDEST_VALUE ? `${text.slice(0, WIDEST_VALUE - 1)}…` : text;
}

function columns(rows: readonly [key: string, value: string, origin: string][]): string[] {
  const widest = (column: 0 | 1) => Math.max(0, ...rows.map((row) => row[column].length));
  const [keys, values] = [widest(0), widest(1)];
  return rows.map(([key, value, origin]) => `${key.padEnd(keys)}  ${value.padEnd(values)}  ${origin}`);
}
