import type { z } from 'zod';
import type { Probe, ProbeContext } from '../capability.ts';
import { createSourceDefinitions } from './configured-sources.ts';
import type { SourceDefinition } from './engine/definition.ts';
import { listSources } from './operations/list-sources.ts';
import type { ChatSettings } from './settings.ts';
import { examineSources, type SourcesState } from './source-findings.ts';
import type { SourceKind } from './source-settings.ts';

type Told = z.output<typeof listSources.output>['sources'][number];
type SourceState = NonNullable<SourcesState['sources']>[number];

/** Status of the sources: as reported by the process that owns the home, else as configured. */
export function sourcesProbe(kinds: readonly SourceKind[]): Probe<ChatSettings> {
  return { check: 'sources', examine: async (context) => examineSources(await stateOf(context, kinds)) };
}

async function stateOf({ home, settings, ask }: ProbeContext<ChatSettings>, kinds: readonly SourceKind[]) {
  const configured = settings && createSourceDefinitions(kinds, home).configured(settings.sources);
  const told = (await ask(listSources, {}))?.sources;
  if (!told) return { isRunning: false, ...(configured ? { sources: configured.map(asConfigured) } : {}) };
  return { isRunning: true, sources: told.map((source) => asTold(source, configured)) };
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

function asTold(
  { id, kind, is_connected, state, problem, how_to_connect }: Told,
  configured: readonly SourceDefinition[] | undefined,
): SourceState {
  const inFile = configured?.find((source) => source.id === id);
  const connection = is_connected ? 'connected' : CONNECTIONS[state];
  return {
    id,
    kind,
    ...(connection === undefined ? {} : { connection }),
    ...(problem === undefined ? {} : { problem }),
    ...(how_to_connect === undefined ? {} : { howToConnect: how_to_connect }),
    ...(inFile?.keepDays === undefined ? {} : { keepDays: inFile.keepDays }),
    ...(configured ? { isInFile: inFile !== undefined } : {}),
  };
}
