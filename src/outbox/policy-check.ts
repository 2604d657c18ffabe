import type { FindNamed } from '../domain/chat-entry.ts';
import { sendGrants } from '../domain/grants.ts';
import type { OutboxItem } from '../domain/outbox.ts';
import {
  type PolicyLevel,
  type PolicySubject,
  type SendPolicy,
  type Verdict,
  verdictOn,
  withIds,
} from '../domain/policy.ts';
import { LOCAL_IDENTITY, type Principal } from '../domain/principal.ts';
import { covers } from './item-view.ts';
import type { Senders } from './senders.ts';
import type { SessionReads } from './session-reads.ts';

/** Of a sender whose recipients have no names of their own. */
const NONE: FindNamed = async () => [];

export interface PolicyCheckParts {
  senders: Senders;
  reads: Pick<SessionReads, 'of'>;
  generalPolicy(): Promise<SendPolicy>;
  /** The token that submitted an item, with its rights of now; undefined if it exists no more. */
  tokenOf(item: Author): Promise<Principal | undefined>;
}

type Author = Pick<OutboxItem, 'principal' | 'identity'>;

interface CheckedItem extends Omit<PolicySubject, 'reads' | 'answers'>, Pick<OutboxItem, 'payload'> {
  sender: string;
  session?: string;
  identity?: string;
  /** The name of who submitted it, where it was accepted before. */
  principal?: string;
  /** When it was submitted: what its session read later cannot have asked for it. */
  createdAt?: number;
}

/** Without a principal, for what was accepted before: with the rights that the token that submitted it has now. */
export type PolicyCheck = (item: CheckedItem, principal?: Principal) => Promise<Verdict>;

/** Names of callers without a token in a list, unless a token of the file has one: the other levels judge their items. */
const WITHOUT_TOKEN: ReadonlySet<string> = new Set(['local', 'owner']);

export function createPolicyCheck({ senders, reads, generalPolicy, tokenOf }: PolicyCheckParts): PolicyCheck {
  return async (item, principal) => {
    const sender = senders.get(item.sender);
    const [general, own] = await Promise.all([generalPolicy(), sender?.policyOf?.(item.through)]);
    const levels: PolicyLevel[] = [
      { whose: 'The general policy', policy: general },
      ...(own ? [own] : []),
      ...(principal ? [levelOf(principal)] : await levelsNow(item)),
    ];
    const byId = async ({ whose, policy }: PolicyLevel) => ({
      whose,
      policy: policy && (await withIds(policy, item.through, sender?.named ?? NONE)),
    });
    const isCareful = levels.some(({ policy }) => policy?.send === 'careful');
    const subject = isCareful ? { ...item, answers: sender?.answers?.(item), reads: await readBefore(item) } : item;
    return verdictOn(await Promise.all(levels.map(byId)), subject);
  };

  /** Nothing leaves on behalf of a token that was removed, or may not send there any more, without a person's approval. */
  async function levelsNow({ principal: name, ...item }: CheckedItem): Promise<readonly PolicyLevel[]> {
    const { identity } = item;
    if (name === undefined || (identity ?? name) === LOCAL_IDENTITY) return [];
    const now = await tokenOf({ principal: name, ...(identity === undefined ? {} : { identity }) });
    if (!now && WITHOUT_TOKEN.has(name)) return [];
    if (!now) return [{ whose: `The removal of the token ${name}`, policy: { send: 'hold' } }];
    if (covers(sendGrants(now), item)) return [levelOf(now)];
    return [levelOf(now), { whose: `The list of chats of the token ${name}`, policy: { send: 'hold' } }];
  }

  async function readBefore({ createdAt = Number.POSITIVE_INFINITY, ...item }: CheckedItem) {
    return (await reads.of(item)).filter(({ at }) => at <= createdAt);
  }
}

function levelOf({ name, policy }: Principal): PolicyLevel {
  return { whose: `The policy of the token ${name}`, policy };
}
