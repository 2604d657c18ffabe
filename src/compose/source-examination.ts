import type { z } from 'zod';
import { createSourceDefinitions } from '../chat/configured-sources.ts';
import type { SourceDefinition } from '../chat/engine/definition.ts';
import { listSources } from '../chat/operations/list-sources.ts';
import { loadConfig } from '../config/load.ts';
import { SOURCE_KINDS } from '../connectors/registry.ts';
import { askDaemon } from '../daemon/ask-daemon.ts';
import type { SourcesState } from '../doctor/sources.ts';
import { attach } from '../shim/attach.ts';
import { helloOf } from './processes.ts';

type Told = z.output<typeof listSources.output>['sources'][number];
type SourceState = NonNullable<SourcesState['sources']>[number];

/** Whoever keeps the sources is not well when it takes longer to say how they are. */
const PATIENCE_MS = 10_000;

/** How the sources of a home are. Nothing is started for it. */
export async function sourcesOf(place: Parameters<typeof loadConfig>[0]): Promise<SourcesState> {
  const [configured, told] = await Promise.all([inConfiguration(place), askOwner(place.home)]);
  if (!told) return { isRunning: false, ...(configured ? { sources: configured.map(asConfigured) } : {}) };
  const keepDays = new Map(configured?.map((source) => [source.id, source.keepDays]));
  return { isRunning: true, sources: told.map((source) => asTold(source, keepDays.get(source.id))) };
}

async function inConfiguration(
  place: Parameters<typeof loadConfig>[0],
): Promise<readonly SourceDefinition[] | undefined> {
  try {
    return createSourceDefinitions(SOURCE_KINDS, place.home).configured((await loadConfig(place)).config.sources);
  } catch {
    // What is wrong with the configuration is told where that is looked at.
    return undefined;
  }
}

async function askOwner(home: string): Promise<readonly Told[] | undefined> {
  const attached = await attach(home, await helloOf('cli'));
  if (!attached) return undefined;
  const limit = AbortSignal.timeout(PATIENCE_MS);
  const answer = await askDaemon(attached.socket, listSources, {}, () => {}, limit);
  return listSources.output.parse(answer).sources;
}

function asConfigured({ id, kind, unavailable, howToConnect, keepDays }: SourceDefinition): SourceState {
  return {
    id,
    kind,
    ...(unavailable === undefined ? {} : { problem: unavailable, howToConnect }),
    ...(keepDays === undefined ? {} : { keepDays }),
  };
}

const CONNECTIONS: Readonly<Record<string, SourceState['connection']>> = {
  connecting: 'connecting',
  rejected: 'refused',
  waiting: 'lost',
};

function asTold({ id, kind, is_connected, state, problem, how_to_connect }: Told, keepDays?: number): SourceState {
  const connection = is_connected ? 'connected' : CONNECTIONS[state];
  return {
    id,
    kind,
    ...(connection === undefined ? {} : { connection }),
    ...(problem === undefined ? {} : { problem }),
    ...(how_to_connect === undefined ? {} : { howToConnect: how_to_connect }),
    ...(keepDays === undefined ? {} : { keepDays }),
  };
}
