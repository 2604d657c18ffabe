import { createRecent } from '../recent.ts';

/** What a letter says of the conversation it belongs to. Ids are without their brackets. */
export interface ThreadPosition {
  id: string;
  /** The letter it answers, where it says so. */
  answers?: string | undefined;
  /** The letters before it in the conversation, the first one first. */
  references: readonly string[];
  /** Without what programs put before it. */
  subject: string;
  /** Whether something was put before it. */
  isReply: boolean;
  /** Mail programs that count conversations say which one it is. */
  conversation?: string | undefined;
}

export interface Thread {
  id: string;
  /** Whether this is the first letter of it that was met. */
  isNew: boolean;
}

/** Letters and subjects that are remembered; what is answered later than that begins a conversation of its own. */
const REMEMBERED = 50_000;

/**
 * Which conversation a letter belongs to: that of the nearest letter it refers to; else the one that began with the first
 * of them; else, for a reply without references, that of the same subject; else one of its own, named after its id. So
 * the same letters in the same order are in the same conversations each time.
 */
export function createThreads(): (place: ThreadPosition) => Thread {
  const byLetter = createRecent<string>(REMEMBERED);
  const bySubject = createRecent<string>(REMEMBERED);

  function known({ answers, references }: ThreadPosition): string | undefined {
    for (const id of [...references, ...(answers === undefined ? [] : [answers])].reverse()) {
      const thread = byLetter.get(id);
      if (thread !== undefined) return thread;
    }
    return undefined;
  }

  return (place) => {
    const found = place.conversation ?? known(place);
    const subject = place.subject.toLowerCase();
    const begun = place.references[0] ?? place.answers;
    const ofSubject = begun === undefined && place.isReply ? bySubject.get(subject) : undefined;
    const thread = found ?? begun ?? ofSubject ?? byLetter.get(place.id) ?? place.id;
    const isNew = byLetter.get(thread) === undefined;
    for (const id of [...place.references, place.id, thread]) byLetter.set(id, thread);
    if (subject !== '') bySubject.set(subject, thread);
    return { id: thread, isNew };
  };
}
