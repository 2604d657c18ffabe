import { z } from 'zod';
import { createWakeup } from '../../lib/wakeup.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { ServerRef, type ServersContext } from './server-view.ts';

const LOOK_MS = 5_000;
const MAX_LINES = 1_000;

const LineView = z.object({
  at: z.string(),
  stream: z.enum(['stderr', 'stdout', 'switchboard']),
  text: z.string(),
});

export const serverLogs = operation({
  cli: {
    path: 'servers logs',
    positionals: ['id'],
    letters: { f: 'follow', n: 'lines' },
    omit: ['after'],
    examples: ['switchboard servers logs github', 'switchboard servers logs github -f'],
    list: {
      key: 'lines',
      columns: ['at', 'stream', 'text'],
      format: 'compact',
      line: (line) => asLine(LineView.parse(line)),
      notes: () => [],
    },
  },
  rest: { method: 'GET', path: '/servers/:id/logs' },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description:
    'Shows the newest output of another MCP server on stderr: its own words. It is kept while the daemon runs.',
  input: z.strictObject({
    id: ServerRef,
    lines: z.int().min(1).max(MAX_LINES).default(100).describe('Number of lines to begin with.'),
    follow: z.boolean().default(false).describe('Go on with new lines until it is interrupted.'),
    after: z.int().min(0).optional(),
  }),
  output: z.object({ lines: z.array(LineView), position: z.int() }),
  run: (input, context: ServersContext) => page(input, context),
  follow: {
    isWanted: ({ follow }) => follow,
    stream: follow,
    resume: (input, { position }) => ({ ...input, after: position }),
  },
});

interface Wanted {
  id: string;
  lines: number;
  after?: number | undefined;
}

async function* follow(wanted: Wanted, context: OperationContext & ServersContext) {
  const { output } = await context.servers.find(wanted.id);
  const wakeup = createWakeup();
  const stopListening = output.listen(wakeup.wake);
  context.signal.addEventListener('abort', wakeup.wake);
  try {
    let next = await page(wanted, context);
    yield next;
    while (!context.signal.aborted) {
      next = await page({ ...wanted, lines: MAX_LINES, after: next.position }, context);
      if (next.lines.length > 0) yield next;
      else await wakeup.wait(LOOK_MS);
    }
  } finally {
    stopListening();
    context.signal.removeEventListener('abort', wakeup.wake);
  }
}

async function page({ id, lines: last, after }: Wanted, { servers }: ServersContext) {
  const { output } = await servers.find(id);
  const lines = output.lines(after === undefined ? { last } : { last, after });
  return {
    lines: lines.map(({ at, stream, text }) => ({ at: new Date(at).toISOString(), stream, text })),
    position: lines.at(-1)?.number ?? after ?? 0,
  };
}

function asLine({ at, stream, text }: z.output<typeof LineView>): string {
  return `${at} ${stream === 'stderr' ? '' : `[${stream}] `}${text}`;
}
