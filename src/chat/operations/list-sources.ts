import { z } from 'zod';
import { quotedName } from '../../lib/shown-name.ts';
import { operation } from '../../operation.ts';
import { toTimestamp } from '../message-view.ts';
import type { Sources, SourceView } from '../sources.ts';

const View = z.object({
  id: z.string().describe('What other tools take as source.'),
  name: z.string(),
  kind: z.string(),
  is_connected: z.boolean(),
  state: z.string().describe('Default ready.'),
  messages: z.int().describe('Number stored.'),
  can_stream: z.boolean().describe('New messages are reported.'),
  can_send: z.boolean().describe('Default false.'),
  history_back_to: z.string().optional(),
  history_complete: z.boolean().optional(),
  fetched: z.int().optional().describe('Older messages fetched so far.'),
  to_fetch: z.int().optional().describe('Of so many.'),
  stale_since: z.string().optional(),
  problem: z.string().optional(),
  how_to_connect: z.string().optional(),
});

const Output = z.object({ sources: z.array(View) });

export const listSources = operation({
  mcp: { name: 'list_sources', title: 'List the sources', structured: compact },
  cli: {
    path: 'chat sources',
    examples: ['switchboard chat sources', 'switchboard chat sources --json'],
    list: {
      key: 'sources',
      columns: ['id', 'name', 'kind', 'connected', 'messages', 'history_back_to'],
      row: (source) => ({ ...source, connected: source.is_connected }),
      line: (source) => asLine(View.parse(source)),
      notes: (output) => problemsIn(Output.parse(output)),
    },
  },
  rest: { method: 'GET', path: '/sources' },
  kind: 'query',
  effect: 'reads',
  description:
    'Lists chat sources and whether each is connected: IRC, Matrix, XMPP, Slack, Discord, Telegram, WhatsApp, Signal, email, webhooks, archives.',
  input: z.strictObject({}),
  output: Output,
  run: async (_, { sources }: { sources: Sources }) => ({ sources: (await sources.describe()).map(toView) }),
  render: ({ sources }) => sources.map(asLine).join('\n') || 'No source is configured.',
});

function toView(source: SourceView): z.input<typeof View> {
  const { historyBackTo, historyComplete, fetching, staleSince, problem, isConnected } = source;
  return {
    id: source.id,
    name: source.name,
    kind: source.kind,
    is_connected: isConnected,
    state: source.state,
    messages: source.messages,
    can_stream: source.canStream,
    can_send: source.canSend,
    ...(historyBackTo === undefined ? {} : { history_back_to: toTimestamp(historyBackTo) }),
    ...(historyComplete === undefined ? {} : { history_complete: historyComplete }),
    ...(fetching === undefined ? {} : { fetched: fetching.done }),
    ...(fetching?.total === undefined ? {} : { to_fetch: fetching.total }),
    ...(staleSince === undefined ? {} : { stale_since: toTimestamp(staleSince) }),
    ...(problem === undefined ? {} : { problem }),
    ...(isConnected ? {} : { how_to_connect: source.howToConnect }),
  };
}

/** Shown below the table, because a column would truncate them; without any source, how to add one. */
function problemsIn({ sources }: z.output<typeof Output>): string[] {
  if (sources.length === 0) {
    return [
      'Add one to config.yaml, or import one with `switchboard chat import`; `switchboard serve --demo` has one to try.',
    ];
  }
  return sources.flatMap(({ id, problem }) => (problem === undefined ? [] : [`${id}: ${problem}`]));
}

/** Over MCP: without what is so of most sources. */
function compact({ sources }: z.output<typeof Output>) {
  return {
    sources: sources.map(({ state, can_send: canSend, ...rest }) => ({
      ...rest,
      ...(state === 'ready' ? {} : { state }),
      ...(canSend ? { can_send: true } : {}),
    })),
  };
}

function asLine(source: z.output<typeof View>): string {
  const { id, name, history_back_to: backTo, fetched, to_fetch: toFetch } = source;
  const facts = [
    source.kind,
    `${source.messages} messages${backTo === undefined ? '' : ` back to ${backTo}`}`,
    ...(source.history_complete ? ['history complete'] : []),
    ...(fetched === undefined ? [] : [`${fetched} ${toFetch === undefined ? '' : `of ${toFetch} `}fetched`]),
    source.can_send ? 'can send' : 'cannot send',
    ...(source.can_stream ? ['reports new ones'] : []),
  ];
  const state = source.is_connected ? 'connected' : `not connected (${source.state})`;
  const since = source.stale_since === undefined ? '' : ` since ${source.stale_since}`;
  const problem = source.problem === undefined ? '' : `: ${source.problem}`;
  const remedy = source.how_to_connect === undefined ? '' : ` ${source.how_to_connect}`;
  return `${id}${name === id ? '' : ` ${quotedName(name)}`} (${facts.join(', ')}): ${state}${since}${problem}${remedy}`;
}
