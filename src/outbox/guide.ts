import type { Guide } from '../domain/guide.ts';
import type { SendRule } from '../domain/policy.ts';

const TEXTS: Readonly<Record<SendRule, string | undefined>> = {
  allow: undefined,
  careful: 'A message to another chat than you have read may be held until the user approves it (status held).',
  hold: 'Messages and emails are held until the user approves them (status held).',
  deny: 'The policy lets no message or email leave.',
};

/** What models are told of the general policy. */
export function policyGuide(rule: () => SendRule | undefined, guide: Pick<Guide, 'ready' | 'onChange'>): Guide {
  return {
    ...guide,
    introduction({ principal }) {
      const strictest = [rule(), principal.policy?.send].sort((a, b) => severity(b) - severity(a))[0];
      const text = strictest && TEXTS[strictest];
      return text === undefined ? undefined : { text };
    },
  };
}

const ORDER: readonly (SendRule | undefined)[] = [undefined, 'allow', 'careful', 'hold', 'deny'];

function severity(rule: SendRule | undefined): number {
  return ORDER.indexOf(rule);
}
