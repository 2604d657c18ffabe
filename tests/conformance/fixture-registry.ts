import { AppError } from '../../src/domain/errors.ts';
import { splitResume } from '../../src/mcp/patterns.ts';
import type { ChangedResource, Registry, ToolEntry } from '../../src/mcp/registry.ts';
import { askingTools } from './fixture-elicitation.ts';
import { questioningTools } from './fixture-input-required.ts';
import { fixturePrompts } from './fixture-prompts.ts';
import { fixtureResources, fixtureTemplates, readFixture } from './fixture-resources.ts';
import { plainTools } from './fixture-tools.ts';

type ListChange = Parameters<Parameters<Registry['onListChanged']>[0]>[0];

/** The tools, resources and prompts that the conformance scenarios use; `more` adds tools of a single test. */
export function createFixtureRegistry(more: readonly ToolEntry[] = []) {
  const listListeners = new Set<(list: ListChange) => void>();
  const updateListeners = new Set<(update: ChangedResource) => void>();
  const log: ChangedResource[] = [];
  const touchList = (list: ListChange) => {
    for (const listener of listListeners) listener(list);
  };
  const tools = [...plainTools(touchList), ...askingTools, ...questioningTools, ...more].sort((a, b) =>
    a.definition.name < b.definition.name ? -1 : 1,
  );

  const registry: Registry = {
    tools: () => tools,
    tool: (name) => tools.find((tool) => tool.definition.name === name),
    resources: () => fixtureResources,
    templates: () => fixtureTemplates,
    read: async (uri) => readFixture(uri),
    prompts: () => fixturePrompts,
    prompt: (name) => fixturePrompts.find((prompt) => prompt.definition.name === name),
    complete: async (target, { value }) => {
      if (target.kind === 'prompt' && !registry.prompt(target.name, NOBODY)) return undefined;
      return { values: ['paris', 'park', 'party'].filter((word) => word.startsWith(value)) };
    },
    async checkSubscription(uri) {
      if (!uri.startsWith('test://'))
        throw new AppError('NOT_FOUND', `Nothing here answers to ${uri}.`, { field: 'uri' });
      const { pattern, after } = splitResume(uri);
      return { pattern, follows: [pattern], ...(after === undefined ? {} : { after }) };
    },
    onListChanged: (listener) => subscribe(listListeners, listener),
    onUpdate: (listener) => subscribe(updateListeners, listener),
    async missed(after) {
      const page = log.filter(({ number }) => number > after).slice(0, PAGE);
      return { updates: page, upTo: page.at(-1)?.number ?? after };
    },
    newestEvent: async () => log.at(-1)?.number ?? 0,
  };

  return {
    registry,
    touchList,
    /** Notifies subscribers that a resource has changed. */
    touch(update: ChangedResource): void {
      log.push(update);
      for (const listener of updateListeners) listener(update);
    },
  };
}

/** Small, so that a client that resumes needs more than one page. */
const PAGE = 2;

const NOBODY = { kind: 'local', name: 'nobody', identity: 'local', scopes: new Set<string>() } as const;

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
