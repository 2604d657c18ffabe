import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import type { ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { silentLog } from '../../tests/support/operation-context.ts';
import { passThroughPipeline } from '../../tests/support/pass-through-pipeline.ts';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import type { Capability } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { EventLog, StoredEvent } from '../domain/event-log.ts';
import { localPrincipal } from '../domain/principal.ts';
import { type Operation, operation, type Prompt } from '../operation.ts';
import { createOffer, type OfferOptions } from './offer.ts';

const CALLER = { principal: localPrincipal(), era: 'legacy' } as const;
const ALL: OfferOptions = { only: [], readOnly: false };

const read = tool('read_notes', 'reads');
const write = tool('write_note', 'writes', 'notes_write_note');
const send = tool('send_note', 'sends');
const destroy = tool('burn_notes', 'destroys');
const notes = capability('notes', [write, send, destroy, read]);
const post = capability('post', [tool('list_letters', 'reads')]);
const extra: Operation = { ...tool('search_all', 'reads'), mcp: { name: 'search_all', combinedOnly: true } };
const about = capability('about', [tool('get_status', 'reads')], { combinedOnly: true });

describe('the tools of an endpoint', () => {
  test('have the names of their specification on a single endpoint, and combined names on the combined one', () => {
    assert.deepEqual(toolNames([notes], ALL), ['burn_notes', 'read_notes', 'send_note', 'write_note']);
    assert.deepEqual(toolNames([notes, post, about], ALL), [
      'burn_notes',
      'get_status',
      'list_letters',
      'notes_write_note',
      'read_notes',
      'send_note',
    ]);
  });

  test('that are combined-only are not offered on a single endpoint', () => {
    const more = capability('notes', [read, extra]);

    assert.deepEqual(toolNames([more], ALL), ['read_notes']);
    assert.deepEqual(toolNames([more, post], { ...ALL, only: ['notes'] }), ['read_notes']);
    assert.deepEqual(toolNames([more, post], ALL), ['list_letters', 'read_notes', 'search_all']);
  });

  test('are those of the requested capabilities, each once', () => {
    const everything = [notes, post, about];

    assert.deepEqual(toolNames(everything, { ...ALL, only: ['post'] }), ['list_letters']);
    assert.deepEqual(toolNames(everything, { ...ALL, only: ['post', 'post'] }), ['list_letters']);
    assert.deepEqual(toolNames(everything, { ...ALL, only: ['notes', 'notes'] }), toolNames([notes], ALL));
  });

  test('of a capability that does not exist, or is never served alone, cannot be requested', () => {
    for (const name of ['nothing', 'about', '', 'constructor']) {
      assert.throws(
        () => createOffer(parts([notes, post, about]), { ...ALL, only: [name] }),
        (error) => error instanceof AppError && error.field === 'only' && /Valid: notes, post\./.test(error.message),
      );
    }
  });

  test('are only the read-only ones on a read-only endpoint', () => {
    assert.deepEqual(toolNames([notes], { ...ALL, readOnly: true }), ['read_notes']);
  });

  test('are only those whose scope the caller has; others do not exist for it', () => {
    const offer = createOffer(parts([notes]), ALL);
    const reader = tokenPrincipal('reader', ['notes:read']);

    assert.deepEqual(
      offer.tools(reader).map(({ definition }) => definition.name),
      ['read_notes'],
    );
    assert.equal(offer.tool('send_note', reader), undefined);
    assert.ok(offer.tool('send_note', CALLER.principal));
  });

  test('have annotations about their effect', () => {
    const offer = createOffer(parts([notes]), ALL);
    const hints = ['read_notes', 'write_note', 'send_note', 'burn_notes'].map((name) => {
      const { annotations } = offer.tool(name, CALLER.principal)?.definition ?? {};
      return [annotations?.readOnlyHint, annotations?.destructiveHint, annotations?.openWorldHint];
    });

    assert.deepEqual(hints, [
      [true, false, false],
      [false, false, false],
      [false, false, true],
      [false, true, false],
    ]);
  });

  test('are found by a former name too, which is not listed', () => {
    const renamed: Operation = { ...read, mcp: { name: 'read_notes', aliases: ['notes'] } };
    const { tool: toolOf, tools } = createOffer(parts([capability('notes', [renamed, send])]), ALL);
    const sender = tokenPrincipal('sender', ['notes:send']);

    assert.equal(toolOf('notes', localPrincipal())?.definition.name, 'read_notes');
    assert.deepEqual(
      tools(localPrincipal()).map(({ definition }) => definition.name),
      ['read_notes', 'send_note'],
    );
    assert.equal(toolOf('notes', sender), undefined);
  });

  test('are found by their exact name only', () => {
    const offer = createOffer(parts([notes]), ALL);

    for (const name of ['constructor', '__proto__', 'toString', '', 'READ_NOTES']) {
      assert.equal(offer.tool(name, CALLER.principal), undefined);
    }
  });
});

describe('a call', () => {
  test('has text for the model beside the structured result', async () => {
    const rendered: Operation = { ...read, render: ({ text }) => `It says ${text}.` };

    const plain = await callTool(read, { text: 'hi' });
    const worded = await callTool(rendered, { text: 'hi' });

    assert.deepEqual(plain, { content: [{ type: 'text', text: '{"text":"hi"}' }], structuredContent: { text: 'hi' } });
    assert.deepEqual(worded.content, [{ type: 'text', text: 'It says hi.' }]);
  });

  test('that cannot be rendered is sent as JSON, since it was executed', async () => {
    const mute: Operation = {
      ...send,
      render() {
        throw new TypeError('no words');
      },
    };

    const result = await callTool(mute, { text: 'hi' });

    assert.deepEqual(result, { content: [{ type: 'text', text: '{"text":"hi"}' }], structuredContent: { text: 'hi' } });
  });

  test('has additional content in a separate block', async () => {
    const telling: Operation = { ...read, render: () => 'exactly this', aside: ({ text }) => `not ${text}` };

    const result = await callTool(telling, { text: 'that' });

    assert.partialDeepStrictEqual(result, {
      content: [
        { type: 'text', text: 'exactly this' },
        { type: 'text', text: 'not that' },
      ],
    });
  });

  test('that fails is an error result with the hint', async () => {
    const failing: Operation = {
      ...read,
      async run() {
        throw new AppError('CONFLICT', 'There is one already.', { field: 'text', hint: 'Take another.' });
      },
    };

    const result = await callTool(failing, { text: 'hi' });

    assert.deepEqual(result, {
      isError: true,
      content: [
        { type: 'text', text: 'There is one already.' },
        { type: 'text', text: 'Take another.' },
      ],
      structuredContent: {
        error: { code: 'CONFLICT', message: 'There is one already.', field: 'text', hint: 'Take another.' },
      },
    });
  });

  test('AGENT-15 with too large an input is a protocol error', async () => {
    const failing: Operation = {
      ...read,
      async run() {
        throw new AppError('TOO_LARGE', 'At most 65,536 bytes.');
      },
    };

    await assert.rejects(callTool(failing, { text: 'hi' }), { code: -32602, message: 'At most 65,536 bytes.' });
  });

  test('reports progress only to a client that requested it', async () => {
    const telling: Operation = {
      ...read,
      async run(_, { progress }) {
        progress(1, 3, 'one of three');
        progress(2);
        return { text: 'done' };
      },
    };
    const asked = context({ progressToken: 'p1' });
    const silent = context();

    await callTool(telling, { text: '' }, asked);
    await callTool(telling, { text: '' }, silent);

    assert.deepEqual(
      asked.notify.mock.calls.map(({ arguments: [{ params }] }) => params),
      [
        { progressToken: 'p1', progress: 1, total: 3, message: 'one of three' },
        { progressToken: 'p1', progress: 2 },
      ],
    );
    assert.equal(silent.notify.mock.callCount(), 0);
  });
});

describe('resources', () => {
  const status = { uri: 'notes://status', name: 'Status', description: 'How it is.', mimeType: 'text/plain' };
  const withResources = capability('notes', [read], {
    resources: [{ ...status, right: 'read', read: async () => 'fine' }],
    templates: [
      {
        right: 'read',
        uriTemplate: 'notes://{shelf}/{note}',
        name: 'Note',
        description: 'One note.',
        mimeType: 'text/plain',
        read: async (uri, variables) => ({ uri: uri.href, mimeType: 'text/plain', text: JSON.stringify(variables) }),
        async subscribe(uri) {
          if (uri.includes('sealed')) throw new AppError('STREAMING_NOT_SUPPORTED', 'That one never changes.');
          return uri.endsWith('nickname') ? ['notes://top/17'] : undefined;
        },
        complete: async (variable, prefix) => [`${variable}:${prefix}`],
      },
    ],
  });
  const offer = createOffer(parts([withResources]), ALL);

  test('are listed without their implementation, for principals that may read them', () => {
    assert.deepEqual(offer.resources(CALLER.principal), [status]);
    assert.deepEqual(
      offer.templates(CALLER.principal).map(({ uriTemplate }) => uriTemplate),
      ['notes://{shelf}/{note}'],
    );
    assert.deepEqual(offer.resources(tokenPrincipal('t', ['notes:send'])), []);
    assert.deepEqual(offer.templates(tokenPrincipal('t', ['notes:send'])), []);
  });

  test('are read by URI or by template, and are undefined if nothing matches', async () => {
    const readUri = (uri: string) => offer.read(uri, context().context, CALLER);

    assert.deepEqual(await readUri('notes://status'), {
      contents: [{ uri: 'notes://status', mimeType: 'text/plain', text: 'fine' }],
    });
    assert.partialDeepStrictEqual(await readUri('notes://top/a%20b'), {
      contents: [{ text: '{"shelf":"top","note":"a b"}' }],
    });
    assert.equal(await readUri('notes://top'), undefined);
    assert.equal(await readUri('notes://a b/c'), undefined);
  });

  test('can be subscribed to if there are any, and if their template agrees', async () => {
    assert.deepEqual(await offer.checkSubscription('notes://status', CALLER), {
      pattern: 'notes://status',
      follows: ['notes://status'],
    });
    assert.deepEqual(await offer.checkSubscription('notes://top/*', CALLER), {
      pattern: 'notes://top/*',
      follows: ['notes://top/*'],
    });
    assert.deepEqual(await offer.checkSubscription('notes://top/nickname', CALLER), {
      pattern: 'notes://top/nickname',
      follows: ['notes://top/17'],
    });

    await assert.rejects(offer.checkSubscription('notes://sealed/*', CALLER), { code: 'STREAMING_NOT_SUPPORTED' });
    await assert.rejects(offer.checkSubscription('other://x', CALLER), { code: 'NOT_FOUND', field: 'uri' });
    await assert.rejects(offer.checkSubscription('notes://status', { ...CALLER, principal: tokenPrincipal('t', []) }), {
      code: 'NOT_FOUND',
    });
  });

  test('suggest values for their variables', async () => {
    const target = { kind: 'template', uriTemplate: 'notes://{shelf}/{note}' } as const;
    const suggested = await offer.complete(
      target,
      { name: 'shelf', value: 'to', chosen: {} },
      context().context,
      CALLER,
    );
    const unknown = await offer.complete(
      { ...target, uriTemplate: 'x://{y}' },
      { name: 'y', value: '', chosen: {} },
      context().context,
      CALLER,
    );

    assert.deepEqual(suggested, { values: ['shelf:to'] });
    assert.equal(unknown, undefined);
  });
});

describe('prompts', () => {
  const prompt = (name: string): Prompt => ({
    right: 'read',
    name,
    description: '',
    arguments: [{ name: 'topic', description: '', required: true }],
    get: async ({ topic }) => ({ text: `About ${topic}` }),
  });
  const offer = createOffer(parts([capability('notes', [read], { prompts: [prompt('zebra'), prompt('ant')] })]), ALL);

  test('are listed in order, since pages are split by name', () => {
    assert.deepEqual(
      offer.prompts(CALLER.principal).map(({ definition }) => definition.name),
      ['ant', 'zebra'],
    );
    assert.deepEqual(offer.prompts(tokenPrincipal('t', [])), []);
  });

  test('name a missing argument, and have no completions unless they define them', async () => {
    const ant = offer.prompt('ant', CALLER.principal);
    const { context: given } = context();

    await assert.rejects(async () => ant?.get({}, given, CALLER), { code: 'INVALID_PARAMETER', field: 'topic' });
    assert.partialDeepStrictEqual(await ant?.get({ topic: 'bees' }, given, CALLER), {
      messages: [{ role: 'user', content: { type: 'text', text: 'About bees' } }],
    });
    assert.deepEqual(
      await offer.complete({ kind: 'prompt', name: 'ant' }, { name: 'topic', value: '', chosen: {} }, given, CALLER),
      { values: [] },
    );
  });
});

test('listeners get stored events as the updates that the capability derives from them', () => {
  const listeners = new Set<(events: readonly StoredEvent[]) => void>();
  const events = {
    listen(listener: (events: readonly StoredEvent[]) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as EventLog;
  const telling = capability('notes', [], {
    resources: [
      { right: 'read', uri: 'notes://a', name: '', description: '', mimeType: 'text/plain', read: async () => '' },
    ],
    updates: ({ subject, data }) => (subject.startsWith('notes://') ? [{ uri: subject, fields: {}, data }] : []),
  });
  const heard: unknown[] = [];
  const offer = createOffer({ ...parts([telling]), events }, ALL);

  const stop = offer.onUpdate((update) => heard.push(update), CALLER.principal);
  for (const listener of listeners) {
    listener([
      { number: 1, at: '', type: 'x', subject: 'other://a', data: {} },
      { number: 2, at: '', type: 'x', subject: 'notes://a', data: { a: 1 } },
    ]);
  }
  stop();

  assert.deepEqual(heard, [{ uri: 'notes://a', fields: {}, data: { a: 1 }, number: 2 }]);
  assert.equal(listeners.size, 0);
});

function tool(name: string, effect: Operation['effect'], combined?: string): Operation {
  return operation({
    mcp: { name, ...(combined === undefined ? {} : { combined_name: combined }) },
    kind: 'query',
    effect,
    description: name,
    input: z.strictObject({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }) => ({ text }),
  });
}

function capability(name: string, operations: readonly Operation[], more: Partial<Capability> = {}): Capability {
  return { name, invalidInput: 'INVALID_PARAMETER', operations, parts: {}, ...more };
}

function parts(capabilities: readonly Capability[]) {
  const masker = { maskDeep: <T>(value: T) => value };
  return { capabilities, pipeline: passThroughPipeline, events: {} as EventLog, masker, log: silentLog };
}

function toolNames(capabilities: readonly Capability[], options: OfferOptions): string[] {
  return createOffer(parts(capabilities), options)
    .tools(CALLER.principal)
    .map(({ definition }) => definition.name);
}

async function callTool(one: Operation, input: Record<string, unknown>, { context: given } = context()) {
  const [entry] = createOffer(parts([capability('notes', [one])]), ALL).tools(CALLER.principal);
  assert.ok(entry);
  return entry.call(input, given, CALLER);
}

function context(meta?: { progressToken: string }) {
  const notify = mock.fn(async (_notification: { method: string; params: object }) => {});
  const mcpReq = { signal: new AbortController().signal, _meta: meta, notify };
  return { notify, context: { mcpReq } as unknown as ServerContext };
}
