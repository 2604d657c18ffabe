import { type Finding, ok, warning } from '../domain/finding.ts';

/** A source as configured, or as reported by the process that owns the home. */
interface SourceState {
  id: string;
  kind: string;
  /** State of its connection; missing if it cannot be connected or no process owns the home. */
  connection?: 'connected' | 'connecting' | 'refused' | 'lost';
  /** Why it is not connected, or never can be; or what does not work although it is connected. */
  problem?: string;
  howToConnect?: string;
  /** Messages older than this are deleted. */
  keepDays?: number;
  /** Whether it is in `sources` of the configuration; missing if that cannot be read. */
  isInFile?: boolean;
}

export interface SourcesState {
  /** Whether a process owns the home and keeps sources connected. */
  isRunning: boolean;
  /** Undefined if no process owns the home and the configuration cannot be read. */
  sources?: readonly SourceState[];
}

export function examineSources({ isRunning, sources }: SourcesState): readonly Finding[] {
  if (!sources) return [ok('sources', 'Which there are is not known while the configuration is not valid.')];
  if (sources.length === 0) return [ok('sources', 'None is configured.')];
  const findings = sources.map(examineSource);
  if (isRunning) return findings;
  return [
    ok('sources', 'Nothing runs, so nothing is connected; the daemon is started when it is needed.'),
    ...findings,
  ];
}

function examineSource(source: SourceState): Finding {
  const { id, connection, problem, howToConnect } = source;
  if (connection === 'refused') {
    const inFile = `Change sources.${id} in config.yaml, or sign in: \`switchboard chat login ${id}\`.`;
    const fix = source.isInFile === false && howToConnect ? howToConnect : inFile;
    return warning('sources', described(source, `is refused. ${problem}`), fix);
  }
  // It is tried again and again: what failed before is not ok while it is.
  if (connection === 'lost' || (connection === 'connecting' && problem !== undefined)) {
    const fix = source.isInFile === false ? '' : ` Is the address in sources.${id} right?`;
    return warning(
      'sources',
      described(source, `is ${connection === 'lost' ? 'not connected' : 'being connected'}. ${problem}`),
      `It is tried again by itself.${fix} \`switchboard daemon logs\` has the reason.`,
    );
  }
  if (connection === 'connecting') {
    return ok('sources', described(source, 'is being connected.'));
  }
  if (connection === 'connected' && problem !== undefined) {
    return warning('sources', described(source, `is connected. ${problem}`), `Change sources.${id} in config.yaml.`);
  }
  if (problem !== undefined && howToConnect !== undefined) {
    return warning('sources', described(source, `cannot be connected. ${problem}`), howToConnect);
  }
  return ok('sources', described(source, connection === 'connected' ? 'is connected.' : 'is configured.'));
}

function described({ id, kind, keepDays }: SourceState, words: string): string {
  const kept = keepDays === undefined ? '' : ` Messages older than ${keepDays} days are forgotten.`;
  return `${id} (${kind}) ${words}${kept}`;
}
