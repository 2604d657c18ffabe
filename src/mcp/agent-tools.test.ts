import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { silentLog } from '../../tests/support/operation-context.ts';
import { passThroughPipeline } from '../../tests/support/pass-through-pipeline.ts';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import type { Capability } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { Gateway, GatewayEntry } from '../domain/gateway.ts';
import type { JsonObject } from '../domain/json.ts';
import { localPrincipal } from '../domain/principal.ts';
import { operation } from '../operation.ts';
import { createAgentTools } from './agent-tools.ts';

const signal = new AbortController().signal;
const caller = { principal: localPrincipal(), session: 'conversation-1', signal };

const seen: object[] = [];
const read = operation({
  mcp: { name: 'read_note' },
  kind: 'query',
  effect: 'reads',
  description: 'Reads a note.',
  input: z.strictObject({ id: z.string() }),
  output: z.object({ text: z.string() }),
  async run({ id }, context) {
    if (id === 'none') throw new AppError('NOT_FOUND', 'There is no such note.', { hint: 'Look elsewhere.' });
    seen.push(context);
    return { text: `note ${id}\u202e` };
  },
  render: ({ text }) => text,
});
const internal = operation({ ...read, mcp: undefined, cli: { path: 'notes internal' } } as never);

function entry(name: string, more: Partial<GatewayEntry> = {}): GatewayEntry {
  return {
    definition: { name, description: 'Hidden \u202e', inputSchema: { type: 'object' } },
    server: 'other',
    isTrusted: false,
    isReadOnly: false,
    ...more,
  };
}

const post = entry('other__post');
const list = entry('other__list', { isReadOnly: true });
const byName = entry('call_tool', {
  target({ name, args = {} }) {
    if (name !== 'list') throw new AppError('NOT_FOUND', 'There is no such tool.');
    return { entry: list, args: args as JsonObject };
  },
});
const gateway = {
  tools: () => [post, list, byName],
  async callTool({ definition: { name } }: GatewayEntry) {
    const blocks = [
      { type: 'text', text: `${name} says \u202e` },
      { type: 'resource_link', name: 'a file', uri: 'file:///x' },
      { type: 'image', mimeType: 'image/png', data: '' },
      { type: 'resource', resource: { uri: 'file:///y', text: 'its text' } },
    ];
    return name === 'other__post'
      ? { isError: true, content: [], structuredContent: { code: 7 } }
      : { content: blocks };
  },
} as unknown as Gateway;

const common = { invalidInput: 'VALIDATION_ERROR', parts: {} } as const;
const tools = createAgentTools({
  capabilities: () =>
    [
      { ...common, name: 'notes', operations: [read, internal] },
      { ...common, name: 'servers', operations: [], gateway },
    ] as unknown as readonly Capability[],
  pipeline: passThroughPipeline,
  log: silentLog,
});

function named(name: string) {
  const found = tools.list(localPrincipal()).find((tool) => tool.name === name);
  assert(found);
  return found;
}

describe('tools of a model inside the program', () => {
  test('are those that its principal may use, by name', () => {
    const names = (...scopes: string[]) => tools.list(tokenPrincipal('t', scopes)).map(({ name }) => name);

    assert.deepEqual(names('notes:read', 'servers:send'), ['call_tool', 'other__list', 'other__post', 'read_note']);
    assert.deepEqual(names('servers:read'), []);
    assert.deepEqual(tools.capabilities(), ['notes', 'servers']);
  });

  test('call operations for that principal in its session, and never as the person', async () => {
    const result = await named('read_note').call({ id: '1' }, caller);

    assert.deepEqual(result, { isError: false, texts: ['note 1\\u202e'] });
    assert.partialDeepStrictEqual(seen.at(-1), { door: 'claude', principal: { name: 'local' } });
    assert.equal('isPerson' in (seen.at(-1) ?? {}), false);
    assert.equal(named('read_note').effectOf({}), 'reads');
  });

  test('give a failure as a result, in our own words', async () => {
    const result = await named('read_note').call({ id: 'none' }, caller);

    assert.deepEqual(result, { isError: true, texts: ['There is no such note.', 'Look elsewhere.'] });
  });

  test('of other servers send, unless a trusted one says that they read', async () => {
    const effects = [post, list].map(({ definition }) => named(definition.name).effectOf({}));
    const target = named('call_tool');

    assert.deepEqual(effects, ['sends', 'reads']);
    assert.deepEqual([target.effectOf({ name: 'list' }), target.effectOf({ name: 'unknown' })], ['reads', 'sends']);
  });

  test('of other servers give text, whatever they answer with', async () => {
    const listed = await named('call_tool').call({ name: 'list' }, caller);
    const posted = await named('other__post').call({}, caller);
    const unknown = await named('call_tool').call({ name: 'x' }, caller);

    assert.deepEqual(listed.texts, [
      'other__list says \\u202e',
      'a file: file:///x',
      '[image, image/png: not passed on]',
      'its text',
    ]);
    assert.deepEqual(posted, { isError: true, texts: ['{"code":7}'] });
    assert.equal(unknown.isError, true);
    assert.doesNotMatch(named('other__post').description, /\u202e/);
  });
});
