import type { Config } from '../config/schema.ts';
import type { SendPolicy } from '../domain/policy.ts';
import { type TokenFacts, tokenFacts } from '../domain/principal.ts';

/** What a token of the configuration file carries besides its scopes. */
export function configuredFacts({ agent, chats, send_chats, policy }: Config['auth']['tokens'][number]): TokenFacts {
  return tokenFacts({ agent, chats, sendChats: send_chats, policy: policy && configuredPolicy(policy) });
}

interface Configured {
  send?: SendPolicy['send'];
  allowed_recipients?: readonly string[] | undefined;
}

/** A policy in the words of the domain. */
export function configuredPolicy({ send, allowed_recipients: allowedRecipients }: Configured): SendPolicy {
  return { send, allowedRecipients };
}
