import type { CapabilityParts } from '../../capability.ts';

/** Names of secrets in the group of an account. */
export type AccountSecret = 'password' | 'refresh_token' | 'client_secret';

/** The secrets store, limited to one account. */
export interface AccountSecrets {
  get(account: string, name: AccountSecret): Promise<string | undefined>;
  set(account: string, name: AccountSecret, value: string): Promise<void>;
  delete(account: string, name: AccountSecret): Promise<boolean>;
  /** Everything of the account. */
  forget(account: string): Promise<void>;
}

export function accountSecrets(secrets: CapabilityParts<object, object>['secrets']): AccountSecrets {
  return {
    get: async (account, name) => (await secrets()).get(groupOf(account), name),
    set: async (account, name, value) => (await secrets()).set(groupOf(account), name, value),
    delete: async (account, name) => (await secrets()).delete(groupOf(account), name),
    forget: async (account) => void (await (await secrets()).deleteGroup(groupOf(account))),
  };
}

/** Each account has its own group of secrets. */
function groupOf(account: string): string {
  return `account/${account}`;
}
