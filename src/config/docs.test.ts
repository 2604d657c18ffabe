import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { CONFIG_MODEL, load } from '../../tests/support/config.ts';
import { core } from '../settings.ts';
import { variableOf } from './environment.ts';
import { fieldsOf, isSecret, validity } from './schema-walk.ts';

const PAGE = new URL('../../docs/configuration.md', import.meta.url);
const KEYS = /(<!-- keys: [^\n]*-->\n)[\s\S]*(<!-- end of keys -->)/;

describe('docs/configuration.md', () => {
  test('CORE-11 lists every key with its default, meaning and variable', () => {
    const page = readFileSync(PAGE, 'utf8');

    const upToDate = page.replace(KEYS, (_, begin: string, end: string) => `${begin}\n${reference()}\n${end}`);
    if (process.env.UPDATE_DOCS) writeFileSync(PAGE, upToDate);

    assert.equal(process.env.UPDATE_DOCS ? upToDate : page, upToDate, 'UPDATE_DOCS=1 regenerates the page');
  });

  test('its example is a valid configuration', async () => {
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(PAGE, 'utf8')) ?? [];

    const { config, references } = await load({ yaml, env: { WORK_PASSWORD: 'pw' } });

    assert.equal(config.accounts.work?.auth.password, 'pw');
    assert.deepEqual(references, [{ key: 'auth.token', name: 'OWNER_TOKEN' }]);
  });
});

function reference(): string {
  return [...fieldsOf(CONFIG_MODEL.schema)].map(([section, schema]) => sectionOf(section, schema)).join('\n');
}

function sectionOf(name: string, schema: z.core.$ZodType): string {
  const title = `### \`${name}\`\n\n${descriptionOf(schema)}\n`;
  const inner = core(schema);
  if (!(inner instanceof z.ZodRecord)) return `${title}\n${table(rowsOf(schema, [name]))}`;
  const rows = rowsOf(inner.valueType, [name, '<id>']);
  const entry = core(inner.valueType);
  if (!(entry instanceof z.ZodDiscriminatedUnion)) return `${title}\n${table(rows)}`;
  return `${title}\n${kindsOf(entry, rows)}`;
}

/** The keys of every kind, then those that only some have. */
function kindsOf(union: z.ZodDiscriminatedUnion, rows: readonly Row[]): string {
  const options = union.options.filter((option) => option instanceof z.ZodObject);
  const kinds = options.map((option) => ({
    kind: [...(option.shape.kind as z.ZodLiteral).values].join(),
    keys: rowsOf(option, ['sources', '<id>']),
  }));
  const isCommon = ({ key }: Row) => kinds.every(({ keys }) => keys.some((row) => row.key === key));
  const own = kinds.map(({ kind, keys }) => ({ kind, keys: keys.filter((row) => !isCommon(row)) }));
  const without = own.filter(({ keys }) => keys.length === 0).map(({ kind }) => `\`${kind}\``);
  return [
    table(rows.filter(isCommon)),
    ...own.flatMap(({ kind, keys }) => (keys.length === 0 ? [] : [`With \`kind: ${kind}\` also:\n\n${table(keys)}`])),
    `The kinds ${without.join(', ')} have no keys of their own.\n`,
  ].join('\n');
}

interface Row {
  key: string;
  variable: string;
  initial: string;
  valid: string;
  schema: z.core.$ZodType;
}

function rowsOf(schema: z.core.$ZodType, path: readonly string[]): Row[] {
  return [...fieldsOf(schema)].flatMap(([name, field]) => {
    const inner = core(field);
    const steps = [...path, name];
    if (inner instanceof z.ZodObject) return rowsOf(field, steps);
    const key = steps.join('.');
    const entries = inner instanceof z.ZodArray ? rowsOf(inner.element, [...path, `${name}[]`]) : [];
    return [
      {
        key,
        // The entries of a list have no variables.
        variable: key.includes('[]') ? '' : variableOf(steps),
        initial: initialOf(field),
        valid: isSecret(field) ? `${validity(field)}; a secret` : validity(field),
        schema: field,
      },
      ...entries,
    ];
  });
}

function initialOf(schema: z.core.$ZodType): string {
  const result = z.safeParse(schema, undefined);
  if (!result.success) return 'required';
  return result.data === undefined ? '' : `\`${JSON.stringify(result.data)}\``;
}

function descriptionOf(schema: z.core.$ZodType): string {
  return z.globalRegistry.get(schema)?.description ?? assert.fail('a key without a description');
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ key, variable, initial, valid, schema }) =>
      `| \`${key}\`${variable === '' ? '' : `<br>\`${variable}\``} | ${initial} | ${valid} | ${descriptionOf(schema)} |`,
  );
  return ['| key and variable | default | valid | meaning |', '|---|---|---|---|', ...lines, ''].join('\n');
}
