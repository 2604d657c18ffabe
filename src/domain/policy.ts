/** Whether something may leave at once, waits for a person's approval, or may not leave at all. */
export type Leave = 'allow' | 'hold' | 'deny';

/** What one level says: the general policy, a source's own, a token's own. What is missing is not said. */
export interface SendPolicy {
  readonly send?: Leave | undefined;
  /** Ids or names of those who may be written to; everybody where it is missing or empty. */
  readonly allowedRecipients?: readonly string[] | undefined;
}

/** Where something goes: a chat as the store knows it, or an address. */
export interface Recipient {
  source: string;
  id: string;
  name: string;
}

/** `whose` begins the sentence that the caller is told. */
export interface PolicyLevel {
  whose: string;
  policy: SendPolicy | undefined;
}

export type Verdict = { kind: 'allow' } | { kind: 'hold' | 'deny'; reason: string };

/** The strictest of all levels holds, and each list of recipients must have every recipient in it. */
export function verdictOn(levels: readonly PolicyLevel[], recipients: readonly Recipient[]): Verdict {
  const denying = levels.find(({ policy }) => policy?.send === 'deny');
  if (denying) return { kind: 'deny', reason: `${denying.whose} lets nothing leave.` };
  const excluding = levels.find(({ policy }) => !recipients.every((recipient) => isAllowed(recipient, policy)));
  if (excluding) return { kind: 'deny', reason: `${excluding.whose} does not allow this recipient.` };
  const holding = levels.find(({ policy }) => policy?.send === 'hold');
  if (holding) return { kind: 'hold', reason: `${holding.whose} asks for a person’s approval.` };
  return { kind: 'allow' };
}

function isAllowed(recipient: Recipient, policy: SendPolicy | undefined): boolean {
  const listed = policy?.allowedRecipients ?? [];
  return listed.length === 0 || listed.some((wanted) => isCalled(recipient, wanted));
}

/** By its own id or its whole name, with the source in front or without. */
function isCalled(recipient: Recipient, wanted: string): boolean {
  const within = `${recipient.source}:`;
  const rest = wanted.startsWith(within) ? wanted.slice(within.length) : undefined;
  return bears(recipient, wanted) || (rest !== undefined && bears(recipient, rest));
}

/**
 * Whether this is the id, to the letter, or the whole name, in which case does not count. Networks tell ids apart that differ
 * in case alone, so that nobody can take such an id to be let in.
 */
export function bears({ id, name }: { id: string; name: string }, wanted: string): boolean {
  return id === wanted || folded(name) === folded(wanted);
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
