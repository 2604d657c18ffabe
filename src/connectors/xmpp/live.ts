import type { Host, Position } from '../connector.ts';
import type { OwnAddress } from './chat-address.ts';
import { type MessageCopy, type ParsedStanza, readMessage, toEvents } from './convert.ts';
import type { LookBack } from './look-back.ts';
import type { References } from './references.ts';
import { toCursor } from './timestamps.ts';

/** A live event. */
export interface LiveMessage extends MessageCopy {
  /** Its timeline, if its position there advances what is known. */
  timeline?: string;
}

interface Parts {
  host: Pick<Host, 'accept'>;
  ownAddress: OwnAddress;
  references: References;
  lookBack: LookBack;
  /** Finds the archive id of a live copy without one. */
  identify(said: ParsedStanza): Promise<string | undefined>;
  /** An event could not be stored. */
  onFailure(error: unknown): void;
}

/** Passes on events in their order, since converting one may need a query to the server. */
export function createLive({ host, ownAddress, references, lookBack, identify, onFailure }: Parts) {
  let last: Promise<void> = Promise.resolve();

  async function pass(news: LiveMessage): Promise<void> {
    const read = readMessage(news, ownAddress);
    if (!read) return;
    const said = await identified(read);
    await lookBack.resolve([said], 'live');
    const events = toEvents(said, (reference) => references.find(said.chat.id, reference));
    const position = positionOf(said, news.timeline);
    if (events.length > 0 || position) void host.accept(events, position);
  }

  async function identified(said: ParsedStanza): Promise<ParsedStanza> {
    // Events about a message need no id.
    const archiveId = said.archiveId ?? (said.what.kind === 'message' ? await identify(said) : undefined);
    return archiveId === undefined ? said : { ...said, archiveId, id: archiveId };
  }

  return {
    put(news: LiveMessage): void {
      // After a failure nothing more is passed on: the next connection fetches what is missing.
      last = last.then(() => pass(news));
      last.catch(onFailure);
    },
    /** Resolves when everything received is passed on or has failed. */
    settled: () => last.catch(() => {}),
  };
}

function positionOf({ archiveId, at }: ParsedStanza, timeline: string | undefined): Position | undefined {
  if (timeline === undefined || archiveId === undefined) return undefined;
  return { timeline, cursor: toCursor({ id: archiveId, at }) };
}
