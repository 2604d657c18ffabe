import type { Clock } from '../lib/clock.ts';
import type { ClaudeApi, ClaudeModel } from './api/request.ts';

export const DEFAULT_MODEL = 'claude-opus-5-5';

/** Short names of families of models, with what is used while the API cannot be asked. */
const NEWEST_KNOWN: Readonly<Record<string, string>> = {
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
  fable: 'claude-fable-5-2',
  mythos: 'claude-mythos-5-2',
};

/** A short name need not wait longer for the list: there is another answer. */
const LIST_TIMEOUT_MS = 10_000;
const KEEP_MS = 24 * 60 * 60_000;

export interface Models {
  list(signal: AbortSignal): Promise<readonly ClaudeModel[]>;
  /** The id of a model, from its id or a short name. Any other text is taken for an id. */
  resolve(name: string, signal: AbortSignal): Promise<string>;
}

export function createModels({ api, clock }: { api(): Promise<ClaudeApi>; clock: Clock }): Models {
  let known: { at: number; models: readonly ClaudeModel[] } | undefined;

  async function list(signal: AbortSignal): Promise<readonly ClaudeModel[]> {
    const models = await (await api()).models(signal);
    known = { at: clock.now(), models };
    return models;
  }

  async function listed(signal: AbortSignal): Promise<readonly ClaudeModel[]> {
    try {
      return await list(AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]));
    } catch {
      return [];
    }
  }

  return {
    list,
    async resolve(name, signal) {
      const fallback = NEWEST_KNOWN[name];
      if (fallback === undefined) return name;
      const isFresh = known && clock.now() - known.at < KEEP_MS;
      const models = isFresh && known ? known.models : await listed(signal);
      const active = models.filter(({ line, lifecycle }) => line === name && lifecycle === 'active');
      const [newest] = active.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
      return newest?.id ?? fallback;
    },
  };
}
