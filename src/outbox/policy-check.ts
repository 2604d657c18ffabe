import type { FindNamed } from '../domain/chat-entry.ts';
import {
  type PolicyLevel,
  type PolicySubject,
  type SendPolicy,
  type Verdict,
  verdictOn,
  withIds,
} from '../domain/policy.ts';
import type { Principal } from '../domain/principal.ts';
import type { Senders } from './senders.ts';
import type { SessionReads } from './session-reads.ts';

/** Of a sender whose recipients have no names of their own. */
const NONE: FindNamed = async () => [];

export interface PolicyCheckParts {
  senders: Senders;
  reads: Pick<SessionReads, 'of'>;
  generalPolicy(): Promise<SendPolicy>;
}

interface CheckedItem extends Omit<PolicySubject, 'reads'> {
  sender: string;
  session?: string;
  identity?: string;
  /** When it was submitted: what its session read later cannot have asked for it. */
  createdAt?: number;
}

/** Without a principal: the general policy and that of the source or account, for what was accepted before. */
export type PolicyCheck = (item: CheckedItem, principal?: Principal) => Promise<Verdict>;

export function createPolicyCheck({ senders, reads, generalPolicy }: PolicyCheckParts): PolicyCheck {
  return async (item, principal) => {
    const sender = senders.get(item.sender);
    const [general, own] = await Promise.all([generalPolicy(), sender?.policyOf?.(item.through)]);
    const levels: PolicyLevel[] = [
      { whose: 'The general policy', policy: general },
      ...(own ? [own] : []),
      ...(principal ? [{ whose: `The policy of the token ${principal.name}`, policy: principal.policy }] : []),
    ];
    const byId = async ({ whose, policy }: PolicyLevel) => ({
      whose,
      policy: policy && (await withIds(policy, item.through, sender?.named ?? NONE)),
    });
    const isCareful = levels.some(({ policy }) => policy?.send === 'careful');
    const subject = isCareful ? { ...item, reads: await readBefore(item) } : item;
    return verdictOn(await Promise.all(levels.map(byId)), subject);
  };

  async function readBefore({ createdAt = Number.POSITIVE_INFINITY, ...item }: CheckedItem) {
    return (await reads.of(item)).filter(({ at }) => at <= createdAt);
  }
}
