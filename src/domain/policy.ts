import { type FindNamed, onlyNamed, parseChatEntry } from './chat-entry.ts';
import { describeReads, type ReadChat, readElsewhere } from './read-chats.ts';

/**
 * Whether a message is sent immediately, waits for a person's approval, or is refused. `careful`: it waits where its session
 * has read what other users wrote in another chat.
 */
export type SendRule = 'allow' | 'careful' | 'hold' | 'deny';

/** The policy of one level: general, of a source or account, or of a token. A missing value restricts nothing. */
export interface SendPolicy {
  readonly send?: SendRule | undefined;
  /**
   * The only allowed recipients, as `ID`, `SOURCE:ID`, `name:NAME` or `SOURCE:name:NAME`; all are allowed where it is
   * missing or empty.
   */
  readonly allowedRecipients?: readonly string[] | undefined;
}

declare module './principal.ts' {
  interface TokenFacts {
    /** The policy for messages sent on its behalf. */
    readonly policy?: SendPolicy | undefined;
  }
}

/** The same as it is written in the configuration. */
export interface ConfiguredPolicy {
  send?: SendRule | undefined;
  allowed_recipients?: readonly string[] | undefined;
}

export function sendPolicy({ send, allowed_recipients: allowedRecipients }: ConfiguredPolicy): SendPolicy {
  return { send, allowedRecipients };
}

/** A chat or an address, with its display name. */
export interface Recipient {
  readonly id: string;
  readonly name: string;
}

/** `whose` is the subject of the sentence that a caller reads: `The general policy`. */
export interface PolicyLevel {
  whose: string;
  policy: SendPolicy | undefined;
}

/** An outgoing message, as far as policies check it. */
export interface PolicySubject {
  /** Id of the source or account. */
  through: string;
  recipients: readonly Recipient[];
  /** Id of the chat whose participants are its recipients, where it answers one. */
  answers?: string | undefined;
  /** The chats that its session has read since its last approval. */
  reads?: readonly ReadChat[] | undefined;
}

export type Verdict =
  | { kind: 'allow' }
  | { kind: 'deny'; reason: string }
  | { kind: 'hold'; reason: string; because?: readonly ReadChat[] };

/** The strictest level wins: deny, hold, careful, allow; and every list of allowed recipients must contain every recipient. */
export function verdictOn(levels: readonly PolicyLevel[], subject: PolicySubject): Verdict {
  const denying = levels.find(({ policy }) => policy?.send === 'deny');
  if (denying) return { kind: 'deny', reason: `${denying.whose} lets nothing leave.` };
  const excluding = levels.find(({ policy }) => !allowsRecipients(policy, subject));
  if (excluding) return { kind: 'deny', reason: `${excluding.whose} does not allow this recipient.` };
  const holding = levels.find(({ policy }) => policy?.send === 'hold');
  if (holding) return { kind: 'hold', reason: `${holding.whose} asks for a person’s approval.` };
  const careful = levels.find(({ policy }) => policy?.send === 'careful');
  const because = careful ? readElsewhere(subject.reads ?? [], subject) : [];
  if (careful && because.length > 0) {
    return { kind: 'hold', reason: `${careful.whose} is careful: this session ${describeReads(because)}.`, because };
  }
  return { kind: 'allow' };
}

/** If there is a list, an item without recipients is not allowed either. */
function allowsRecipients(policy: SendPolicy | undefined, { through, recipients }: PolicySubject): boolean {
  const listed = policy?.allowedRecipients ?? [];
  if (listed.length === 0) return true;
  return (
    recipients.length > 0 && recipients.every((recipient) => listed.some((entry) => fits(recipient, through, entry)))
  );
}

/** Ids are compared exactly: on some networks ids that differ only in case belong to different users. */
function fits({ id }: Recipient, through: string, entry: string): boolean {
  const { chat } = entryFor(entry, through);
  return chat.kind === 'id' && chat.id === id;
}

/**
 * The policy with the names in its list replaced by the ids of the chats that bear them in the source or account `through`.
 * A name that no chat or several chats bear remains, and allows nothing: anyone may call a chat by an allowed name.
 */
export async function withIds(policy: SendPolicy, through: string, find: FindNamed): Promise<SendPolicy> {
  const { allowedRecipients: listed } = policy;
  if (!listed) return policy;
  const resolve = async (entry: string) => {
    const { source, chat } = entryFor(entry, through);
    if (chat.kind === 'id') return entry;
    const only = await onlyNamed(find, chat.name, source);
    // With its source: an id that begins like an entry must not be read as one.
    return only?.source === through ? `${through}:${only.id}` : entry;
  };
  return { ...policy, allowedRecipients: await Promise.all(listed.map(resolve)) };
}

/** Whether a list allows a recipient by its name. */
export function allowsByName(entry: string): boolean {
  return /^(?:[^:\s]+:)?name:/u.test(entry);
}

/** An entry as it applies to this source or account; `source` is set where the entry names it. */
function entryFor(entry: string, through: string) {
  const prefix = `${through}:`;
  const whole = parseChatEntry(entry);
  if (whole.kind === 'name' || !entry.startsWith(prefix)) return { chat: whole };
  return { source: through, chat: parseChatEntry(entry.slice(prefix.length)) };
}
