import { type PolicySubject, type SendPolicy, type Verdict, verdictOn } from '../domain/policy.ts';
import type { Principal } from '../domain/principal.ts';
import type { Senders } from './senders.ts';

export interface PolicyCheckParts {
  senders: Senders;
  generalPolicy(): Promise<SendPolicy>;
}

/** Without a principal: the general policy and that of the source or account, for what was accepted before. */
export type PolicyCheck = (subject: PolicySubject & { sender: string }, principal?: Principal) => Promise<Verdict>;

export function createPolicyCheck({ senders, generalPolicy }: PolicyCheckParts): PolicyCheck {
  return async (subject, principal) => {
    const [general, own] = await Promise.all([
      generalPolicy(),
      senders.get(subject.sender)?.policyOf?.(subject.through),
    ]);
    const levels = [
      { whose: 'The general policy', policy: general },
      ...(own ? [own] : []),
      ...(principal ? [{ whose: `The policy of the token ${principal.name}`, policy: principal.policy }] : []),
    ];
    return verdictOn(levels, subject);
  };
}
