import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { operation } from '../../operation.ts';
import type { StoreAdmin } from '../ports.ts';

const MOST_PROBLEMS_SHOWN = 20;

export const checkStore = operation({
  cli: { path: 'db check', examples: ['switchboard db check'] },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  deadlineMs: 3_600_000,
  description: 'Checks the whole store and lists problems. Fails if there are any.',
  input: z.strictObject({}),
  output: z.object({ ok: z.literal(true), location: z.string(), schema: z.int() }),
  async run(_, { store }: { store: StoreAdmin }) {
    const { ok, problems } = await store.check();
    if (!ok) throw damaged(problems);
    const { location, schema } = await store.report();
    return { ok: true as const, location, schema };
  },
  render: ({ location, schema }) => `The store ${location} is sound (schema ${schema}).`,
});

function damaged(problems: readonly string[]): AppError {
  const shown = problems.slice(0, MOST_PROBLEMS_SHOWN);
  const more = problems.length - shown.length;
  const message = ['The store is damaged.', ...shown, ...(more > 0 ? [`And ${more} more problems.`] : [])].join(' ');
  return new AppError('SERVICE_UNAVAILABLE', message, {
    hint: 'Keep a copy of the file, then go back to the newest backup that `switchboard db check` finds sound.',
  });
}
