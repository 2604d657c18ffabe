import { visible, visibleJson } from '../lib/visible.ts';
import type { CliList, Operation } from '../operation.ts';
import type { Field } from './command.ts';
import { csv } from './csv.ts';
import type { Schema } from './fields.ts';
import { presentRows } from './output.ts';
import type { Row } from './table.ts';
import type { Output } from './terminal.ts';

const FORMATS = ['table', 'compact', 'json', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** The option of commands that list things. */
export const FORMAT: Field = {
  place: ['format'],
  names: ['format'],
  type: { kind: 'choice', values: FORMATS },
  required: false,
  description: 'Output format; compact is one line per entry.',
};

interface Shown {
  operation: Operation;
  list: CliList;
  input: Row;
  output: Row;
  /** Continues a previous output. */
  goesOn: boolean;
}

/** The items in the requested format, with a newline at the end. */
export function inFormat(format: Format, { operation, list, input, output, goesOn }: Shown, to: Output): string {
  const things = Array.isArray(output[list.key]) ? (output[list.key] as Row[]) : [];
  const inOrder = list.newestLast ? [...things].reverse() : things;
  const listing = { all: inOrder, input };
  switch (format) {
    case 'json':
      return `${visibleJson(output)}\n`;
    case 'csv':
      return csv(fieldsOf(operation, list.key), inOrder, { header: !goesOn });
    case 'compact':
      return inOrder.map((thing) => `${visible(list.line(thing, listing))}\n`).join('');
    case 'table': {
      const rows = inOrder.map((thing) => list.row?.(thing, listing) ?? thing);
      return `${presentRows({ ...list, rows }, output, to)}\n`;
    }
  }
}

/** All that a thing has, but for what is a list or an object itself. */
function fieldsOf(operation: Operation, key: string): string[] {
  const { properties = {} } = operation.output.toJSONSchema({ io: 'output', unrepresentable: 'any' }) as Schema;
  const things = properties[key]?.items?.properties ?? {};
  return Object.entries(things).flatMap(([name, { type }]) => (type === 'array' || type === 'object' ? [] : [name]));
}
