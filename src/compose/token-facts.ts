import type { Config } from '../config/schema.ts';
import { sendPolicy } from '../domain/policy.ts';
import { type TokenFacts, tokenFacts } from '../domain/principal.ts';

/** What a token of the configuration file carries besides its scopes. */
export function configuredFacts({ agent, chats, send_chats, policy }: Config['auth']['tokens'][number]): TokenFacts {
  return tokenFacts({ agent, chats, sendChats: send_chats, policy: policy && sendPolicy(policy) });
}
