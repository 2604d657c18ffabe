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

/** Of a sender whose recipients have no names of their own. */
const NONE: FindNamed = async () => [];

export interface PolicyCheckParts {
  senders: Senders;
  generalPolicy(): Promise<SendPolicy>;
}

/** Without a principal: the general policy and that of the source or account, for what was accepted before. */
export type PolicyCheck = (subject: PolicySubject & { sender: string }, principal?: Principal) => Promise<Verdict>;

export function createPolicyCheck({ senders, generalPolicy }: PolicyCheckParts): PolicyCheck {
  return async (subject, principal) => {
    const sender = senders.get(subject.sender);
    const [general, own] = await Promise.all([generalPolicy(), sender?.policyOf?.(subject.through)]);
    const levels: PolicyLevel[] = [
      { whose: 'The general policy', policy: general },
      ...(own ? [own] : []),
      ...(principal ? [{ whose: `The policy of the token ${principal.name}`, policy: principal.policy }] : []),
    ];
    const byId = async ({ whose, policy }: PolicyLevel) => ({
      whose,
      policy: policy && (await withIds(policy, subject.through, sender?.named ?? NONE)),
    });
    return verdictOn(await Promise.all(levels.map(byId)), subject);
  };
}
