import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Capability } from './capability.ts';
import { composedCapabilities } from './compose.ts';
import { EVENT_STREAM, METRICS } from './http/api.ts';
import { type Access, accessOf, nameOf, type Operation } from './operation.ts';

const PAGE = new URL('../docs/scopes.md', import.meta.url);
const TABLE = /(<!-- rights: [^\n]*-->\n)[\s\S]*(<!-- end of rights -->)/;

describe('docs/scopes.md', () => {
  test('lists the right of every operation, resource, template, prompt and event', () => {
    const page = readFileSync(PAGE, 'utf8');

    const upToDate = page.replace(TABLE, (_, begin: string, end: string) => `${begin}\n${tables()}\n${end}`);
    if (process.env.UPDATE_DOCS) writeFileSync(PAGE, upToDate);

    assert.match(page, TABLE);
    assert.equal(process.env.UPDATE_DOCS ? upToDate : page, upToDate, 'UPDATE_DOCS=1 regenerates the page');
  });
});

interface Row {
  what: string;
  doors: string;
  scope: string;
  confined: string;
}

function tables(): string {
  return composedCapabilities()
    .map((capability) => `## ${capability.name}\n\n${table(rowsOf(capability))}`)
    .join('\n');
}

function rowsOf(capability: Capability): Row[] {
  const { operations, resources = [], templates = [], prompts = [], events = [] } = capability;
  const row = (what: string, doors: string, access: Access) => ({ what, doors, ...rightsOf(capability, access) });
  return [
    ...operations.map((operation) => row(nameOf(operation), doorsOf(operation), accessOf(operation))),
    ...resources.map((resource) => row(`\`${resource.uri}\``, 'resource', resource)),
    ...templates.map((template) => row(`\`${template.uriTemplate}\``, 'resource, completion, subscription', template)),
    ...prompts.map((prompt) => row(prompt.name, 'prompt, completion', prompt)),
    ...events.map(({ prefix, right, mayReceive }) =>
      row(`\`${prefix}…\``, 'event', { right, confined: mayReceive !== undefined }),
    ),
    ...(capability.name === 'system'
      ? [row('`/api/v1/events`', 'event stream', EVENT_STREAM), row('`/metrics`', 'metrics', METRICS)]
      : []),
  ];
}

function rightsOf(
  { name, filtersByGrants = false }: Capability,
  { right, ownerOnly, confined = filtersByGrants }: Access,
): Pick<Row, 'scope' | 'confined'> {
  return {
    scope: `\`${name}:${right}\`${ownerOnly ? ', the owner only' : ''}`,
    confined: confined ? 'limited to its chats' : 'refused',
  };
}

function doorsOf({ mcp, rest, cli }: Operation): string {
  return [
    ...(mcp ? [`tool \`${mcp.combined_name ?? mcp.name}\`${mcp.right ? ` (takes \`${mcp.right}\`)` : ''}`] : []),
    ...(rest ? [`\`${rest.method} ${rest.path}\``] : []),
    ...(cli ? ['command'] : []),
  ].join(', ');
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, doors, scope, confined }) => `| ${what} | ${doors} | ${scope} | ${confined} |`);
  return ['| what | how | scope | token with a list of chats |', '|---|---|---|---|', ...lines, ''].join('\n');
}
