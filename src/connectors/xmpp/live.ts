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

const MOST_AT_ONCE = 200;

/** Stores what happens in the order in which it came, as much at once as has come meanwhile. */
export function createLive({ host, standpoint, references, lookBack, identify, onFailure }: Parts) {
  const waiting: News[] = [];
  const seen = new Set<string>();
  let working: Promise<void> | undefined;
  let isBroken = false;

  async function work(): Promise<void> {
    try {
      while (waiting.length > 0 && !isBroken) await store(waiting.splice(0, MOST_AT_ONCE));
    } catch (error) {
      // Nothing may be stored after something that could not be: what is missing is fetched by the next connection.
      isBroken = true;
      onFailure(error);
    } finally {
      working = undefined;
    }
  }

  async function store(news: readonly News[]): Promise<void> {
    for (const group of byTimeline(news)) {
      const said: Said[] = [];
      for (const each of group) {
        const read = readMessage(each, standpoint);
        if (read) said.push(await identified(read));
      }
      await lookBack.resolve(said, seen);
      const events = said.flatMap((each) => toEvents(each, (reference) => references.find(each.chat.id, reference)));
      const position = positionOf(said, group[0]?.timeline);
      if (events.length > 0 || position) await host.accept(events, position);
    }
  }

  async function identified(said: Said): Promise<Said> {
    // What is said about a message needs no id of its own.
    const archiveId = said.archiveId ?? (said.what.kind === 'message' ? await identify(said) : undefined);
    return archiveId === undefined ? said : { ...said, archiveId, id: archiveId };
  }

  return {
    put(news: News): void {
      if (isBroken) return;
      waiting.push(news);
      working ??= work();
    },
    /** Resolves when all that has come is stored. */
    settled: async () => void (await working),
  };
}

/** Where the last of these stands that stands somewhere. */
function positionOf(said: readonly Said[], timeline: string | undefined): Position | undefined {
  const last = said.findLast(({ archiveId }) => archiveId !== undefined);
  if (timeline === undefined || last?.archiveId === undefined) return undefined;
  return { timeline, cursor: toCursor({ id: last.archiveId, at: last.at }) };
}

function byTimeline(news: readonly News[]): News[][] {
  const groups: News[][] = [];
  for (const each of news) {
    const last = groups.at(-1);
    if (last && last[0]?.timeline === each.timeline) last.push(each);
    else groups.push([each]);
  }
  return groups;
}
