import type { JsonObject } from '../domain/json.ts';

/** An account that was added by a command. Accounts of the configuration file are not here. */
export interface AccountRow {
  id: string;
  /** As an entry of `accounts` in the configuration, without secrets. */
  settings: JsonObject;
  createdAt: number;
}

export interface AccountRepository {
  /** Oldest first. */
  list(): Promise<readonly AccountRow[]>;
  /** Fails with CONFLICT if the id exists. */
  add(row: AccountRow): Promise<void>;
  /** Returns whether it existed. */
  remove(id: string): Promise<boolean>;
}

/** The repositories of email in the store. */
export interface EmailStores {
  accounts: AccountRepository;
}
