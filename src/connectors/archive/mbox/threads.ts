import { detached } from '../../../lib/detached.ts';
import { digestOf } from '../digest-map.ts';
import { createRecent } from '../recent.ts';

/** Facts of an email that determine its conversation. Ids are without brackets. */
export interface ThreadPosition {
  id: string;
  /** The email it replies to, if given. */
  answers?: string | undefined;
  /** Earlier emails of the conversation, oldest first. */
  references: readonly string[];
  /** Subject without reply prefixes. */
  subject: string;
  /** Whether the subject had a prefix. */
  isReply: boolean;
  /** Conversation id of the mail program, if it has one. */
  conversation?: string | undefined;
}

export interface Thread {
  id: string;
  /** Whether this is the first email of the conversation. */
  isNew: boolean;
}

/** Maximum number of emails and subjects to remember; a later reply starts its own conversation. */
const REMEMBERED = 50_000;

/**
 * The conversation of an email: that of the nearest email it refers to; else the one that began with the first of
 * them; else, for a reply without references, that of the same subject; else a new one, named after its id. So the
 * same emails in the same order always give the same conversations.
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
    const ofSubject = begun === undefined && place.isReply ? bySubject.get(digestOf(subject)) : undefined;
    const thread = found ?? begun ?? ofSubject ?? byLetter.get(place.id) ?? place.id;
    const isNew = byLetter.get(thread) === undefined;
    const kept = detached(thread);
    for (const id of [...place.references, place.id, thread]) byLetter.set(detached(id), kept);
    if (subject !== '') bySubject.set(digestOf(subject), kept);
    return { id: thread, isNew };
  };
}
