import { detached } from '../../../lib/detached.ts';
import { lettersOf } from './plain.ts';
import type { Speaker } from './speaker.ts';

/** Finds out which names of an export contain colons: `Team: Ada: hello` is written by `Team: Ada`, or by `Team`. */
export interface ColonNames {
  /** Takes the possible senders of one message, shortest first. */
  add(speakers: readonly Speaker[]): void;
  /** The senders that were found in all messages. */
  found(): FoundNames;
}

export interface FoundNames {
  /** How often each sender occurs. */
  speakers: ReadonlyMap<string, number>;
  /** The sender among the possible ones of a message. */
  choose(speakers: readonly Speaker[]): Speaker | undefined;
}

interface Beginning {
  count: number;
  /** The same with the next colon, and how often. */
  longer: Map<string, number>;
}

/** What WhatsApp says itself begins with it on iPhones, directly after the name. */
const MARK = '\u200E';
/** What may follow a colon in a name: a few words. */
const NAME_PART =
  /^ ?[\p{L}\p{M}\p{N}\p{S}\p{Pd}\p{Pc}'’.()&@#/]{1,30}(?: [\p{L}\p{M}\p{N}\p{S}\p{Pd}\p{Pc}'’.()&@#/]{1,30}){0,3}$/u;
const MAX_NAMES = 20_000;
const MAX_LONGER = 200;
const MAX_ALL_LONGER = 100_000;

/** `known` are names of which it is known that somebody has them: that of the chat and that of the user. */
export function createColonNames(known: readonly string[]): ColonNames {
  const beginnings = new Map<string, Beginning>();
  const marked = new Set<string>();
  const letters = new Set(known.map(lettersOf));
  let allLonger = 0;

  function noted(name: string): Beginning | undefined {
    const before = beginnings.get(name);
    if (before || beginnings.size >= MAX_NAMES) return before;
    const added = { count: 0, longer: new Map() };
    beginnings.set(detached(name), added);
    return added;
  }

  function count({ name }: Speaker, next: Speaker | undefined): void {
    const beginning = noted(name);
    if (!beginning) return;
    beginning.count += 1;
    const times = next && beginning.longer.get(next.name);
    if (!next) return;
    if (times === undefined) {
      if (beginning.longer.size >= MAX_LONGER || allLonger >= MAX_ALL_LONGER) return;
      allLonger += 1;
    }
    beginning.longer.set(detached(next.name), (times ?? 0) + 1);
  }

  function isSomebody(name: string): boolean {
    return marked.has(name) || letters.has(lettersOf(name));
  }

  /**
   * Whether this is only the beginning of names: it never stands alone, and what follows is somebody or occurs again
   * and again. One who writes `Note: …` now and then also writes something else.
   */
  function goesOn(name: string, { count: all, longer }: Beginning): boolean {
    const times = [...longer.values()];
    if (times.reduce((sum, each) => sum + each, 0) < all) return false;
    if ([...longer.keys()].some(isSomebody)) return true;
    return 2 * longer.size <= all && [...longer.keys()].every((each) => NAME_PART.test(each.slice(name.length + 1)));
  }

  return {
    add(speakers) {
      const ofWhatsapp = speakers.find(({ text }) => text.startsWith(MARK));
      if (!ofWhatsapp) for (const [index, each] of speakers.entries()) count(each, speakers[index + 1]);
      else if (marked.size < MAX_NAMES) marked.add(detached(ofWhatsapp.name));
    },
    found() {
      const partial = new Set([...beginnings].filter(([name, each]) => goesOn(name, each)).map(([name]) => name));
      const longer = new Set([...beginnings.values()].flatMap((each) => [...each.longer.keys()]));
      const isPartial = (name: string, next: string | undefined) =>
        next !== undefined && (partial.has(name) || (!beginnings.has(name) && marked.has(next)));
      return {
        speakers: new Map(wholeNames([...beginnings.keys()].filter((name) => !longer.has(name)))),
        choose: (speakers) => speakers.find(({ name }, index) => !isPartial(name, speakers[index + 1]?.name)),
      };

      function wholeNames(names: Iterable<string>): [string, number][] {
        return [...names].flatMap((name) => {
          const beginning = beginnings.get(name);
          if (!beginning) return [];
          return partial.has(name) ? wholeNames(beginning.longer.keys()) : [[name, beginning.count]];
        });
      }
    },
  };
}
