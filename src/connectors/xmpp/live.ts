import type { Host, Position } from '../connector.ts';
import type { OwnAddress } from './chat-address.ts';
import { type MessageCopy, type ParsedStanza, readMessage, toEvents } from './convert.ts';
import type { LookBack } from './look-back.ts';
import type { References } from './references.ts';
import { toCursor } from './timestamps.ts';

/** Something that has just happened. */
export interface LiveMessage extends MessageCopy {
  /** The timeline it stands in, where its place there says how far everything is known. */
  timeline?: string;
}

interface Parts {
  host: Pick<Host, 'accept'>;
  ownAddress: OwnAddress;
  references: References;
  lookBack: LookBack;
  /** Finds the archive's id of a live copy that came without. */
  identify(said: ParsedStanza): Promise<string | undefined>;
  /** What came could not be stored. */
  onFailure(error: unknown): void;
}

/** Passes on what happens in the order in which it came: reading one message may take a question to the server. */
export function createLive({ host, ownAddress, references, lookBack, identify, onFailure }: Parts) {
  const seen = new Set<string>();
  let last: Promise<void> = Promise.resolve();

  async function pass(news: LiveMessage): Promise<void> {
    const read = readMessage(news, ownAddress);
    if (!read) return;
    const said = await identified(read);
    await lookBack.resolve([said], seen);
    const events = toEvents(said, (reference) => references.find(said.chat.id, reference));
    const position = positionOf(said, news.timeline);
    if (events.length > 0 || position) void host.accept(events, position);
  }

  async function identified(said: ParsedStanza): Promise<ParsedStanza> {
    // What is said about a message needs no id of its own.
    const archiveId = said.archiveId ?? (said.what.kind === 'message' ? await identify(said) : undefined);
    return archiveId === undefined ? said : { ...said, archiveId, id: archiveId };
  }

  return {
    put(news: LiveMessage): void {
      // Nothing is passed on after something that could not be: what is missing is fetched by the next connection.
      last = last.then(() => pass(news));
      last.catch(onFailure);
    },
    /** Resolves when all that has come is passed on, or cannot be. */
    settled: () => last.catch(() => {}),
  };
}

function positionOf({ archiveId, at }: ParsedStanza, timeline: string | undefined): Position | undefined {
  if (timeline === undefined || archiveId === undefined) return undefined;
  return { timeline, cursor: toCursor({ id: archiveId, at }) };
}
