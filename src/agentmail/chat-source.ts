import type { Services } from '../capability.ts';
import type { Connection, Host } from '../connectors/connector.ts';

type SourceProvider = Parameters<Services['chat']['sources']['provide']>[0];
type SourceDefinition = Awaited<ReturnType<SourceProvider['definitions']>>[number];

/** Agent mail as a source of chat: read as it arrives, and answered in the user's name. */
export function chatSource(open: (host: Host) => Promise<Connection>): SourceDefinition {
  return {
    id: 'agentmail',
    kind: 'agentmail',
    name: 'Agent mail',
    configuredIn: 'built-in',
    canStream: true,
    canSend: true,
    speaksForPerson: true,
    isAside: true,
    howToConnect: 'Use agent mail in tmux once: agentmail send NAME MESSAGE',
    fingerprint: 'agentmail',
    open,
  };
}
