import type { Host, Position } from '../connector.ts';
import { type Copy, readMessage, type Said, toEvents } from './convert.ts';
import type { LookBack } from './look-back.ts';
import { toCursor } from './moments.ts';
import type { Standpoint } from './place.ts';
import type { References } from './references.ts';

/** Something that has just happened. */
export interface News extends Copy {
  /** The timeline it stands in, where its place there says how far everything is known. */
  timeline?: string;
}

interface Parts {
  host: Pick<Host, 'accept'>;
  standpoint: Standpoint;
  references: References;
  lookBack: LookBack;
  /** Finds the archive's id of a live copy that came without. */
  identify(said: Said): Promise<string | undefined>;
  /** What came could not be stored. */
  onFailure(error: unknown): void;
}

/** Passes on what happens in the order in which it came: reading one message may take a question to the server. */
export function createLive({ host, standpoint, references, lookBack, identify, onFailure }: Parts) {
  const seen = new Set<string>();
  let last: Promise<void> = Promise.resolve();

  async function pass(news: News): Promise<void> {
    const read = readMessage(news, standpoint);
    if (!read) return;
    const said = await identified(read);
    await lookBack.resolve([said], seen);
    const events = toEvents(said, (reference) => references.find(said.chat.id, reference));
    const position = positionOf(said, news.timeline);
    if (events.length > 0 || position) void host.accept(events, position);
  }

  async function identified(said: Said): Promise<Said> {
    // What is said about a message needs no id of its own.
    const archiveId = said.archiveId ?? (said.what.kind === 'message' ? await identify(said) : undefined);
    return archiveId === undefined ? said : { ...said, archiveId, id: archiveId };
  }

  return {
    put(news: News): void {
      // Nothing is passed on after something that could not be: what is missing is fetched by the next connection.
      last = last.then(() => pass(news));
      last.catch(onFailure);
    },
    /** Resolves when all that has come is passed on, or cannot be. */
    settled: () => last.catch(() => {}),
  };
}

function positionOf({ archiveId, at }: Said, timeline: string | undefined): Position | undefined {
  if (timeline === undefined || archiveId === undefined) return undefined;
  return { timeline, cursor: toCursor({ id: archiveId, at }) };
}
