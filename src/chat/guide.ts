import { readGrants, sendGrants } from '../domain/grants.ts';
import type { Audience, Guide, Introduction } from '../domain/guide.ts';
import { allows } from '../domain/principal.ts';
import type { KnownSource } from './engine/known-source.ts';
import type { HiddenSources } from './grants/hidden-sources.ts';

export interface ChatGuideParts {
  ready(): Promise<void>;
  /** Without reading the store. */
  known(): readonly KnownSource[];
  hiddenFrom(principal: Audience['principal']): HiddenSources;
  /** Whether the general policy lets nothing leave. */
  isDenied(): boolean;
  onChange(listener: () => void): () => void;
}

/** Networks as people call them. */
const NETWORKS: Readonly<Record<string, string>> = {
  irc: 'IRC',
  matrix: 'Matrix',
  xmpp: 'XMPP',
  telegram: 'Telegram',
  whatsapp: 'WhatsApp',
  signal: 'Signal',
  beeper: 'Beeper',
  agentmail: 'mail of agents',
};
/** Other capabilities introduce their sources themselves. */
const INTRODUCED_ELSEWHERE: ReadonlySet<string> = new Set(['email', 'agentmail']);

/** What models are told of chat: the sources that a client may read, and those that it can send through. */
export function chatGuide({ ready, known, hiddenFrom, isDenied, onChange }: ChatGuideParts): Guide {
  function readable({ principal }: Audience): readonly KnownSource[] {
    const { everything, sources } = readGrants(principal);
    const hidden = hiddenFrom(principal);
    return known().filter(({ id }) => (everything || sources.has(id)) && !hidden.has(id));
  }

  function sendable(audience: Audience): readonly KnownSource[] {
    if (isDenied() || !allows(audience.principal, 'chat:send')) return [];
    const { everything, sources } = sendGrants(audience.principal);
    return readable(audience).filter(({ id, canSend, isOff }) => canSend && !isOff && (everything || sources.has(id)));
  }

  return {
    ready,
    onChange,
    canWork: (tool, audience) => tool !== 'send_message' || sendable(audience).length > 0,
    introduction(audience, named) {
      if (!allows(audience.principal, 'chat:read')) return undefined;
      const uses = [
        [named('search_messages'), 'searches all'],
        [named('get_messages'), 'reads'],
        [named('list_chats'), 'lists chats'],
        [named('send_message'), 'sends'],
      ].flatMap(([name, does]) => (name === undefined ? [] : [`${name} ${does}`]));
      const sources = readable(audience).filter(({ kind }) => !INTRODUCED_ELSEWHERE.has(kind));
      const text = `Chat: ${uses.join(', ')}.`;
      if (sources.length === 0)
        return {
          text: `${text} No chat source is configured; the user can add one in config.yaml, or by \`switchboard chat import\`.`,
        };
      return { text: `${text} Sources:`, names: sources.map(asName) };
    },
    describe(tool, audience): Introduction | undefined {
      if (tool === 'send_message') {
        const names = sendable(audience).map(asName);
        return names.length === 0 ? undefined : { text: 'Through:', names };
      }
      if (!DESCRIBED.has(tool)) return undefined;
      const names = [...new Set(readable(audience).map(networkOf))];
      return names.length === 0 ? undefined : { text: 'Now:', names };
    },
  };
}

const DESCRIBED: ReadonlySet<string> = new Set(['get_messages', 'search_messages', 'list_chats']);

/** The id, which tools take, and what it is. */
function asName(source: KnownSource): string {
  const network = networkOf(source);
  const what = network === source.id ? '' : ` (${network}${source.isOff ? ' not connected' : ''})`;
  return `${source.id}${what}`;
}

/** An archive is named after the network that it is of. */
function networkOf({ kind, name }: KnownSource): string {
  return kind === 'archive' ? name : (NETWORKS[kind] ?? kind);
}
