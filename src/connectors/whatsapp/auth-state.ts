import type { AuthenticationCreds, SignalDataSet, SignalKeyStore } from 'baileys';
import type { Library } from './library.ts';
import type { SealedEntries } from './sealed-entries.ts';

/** Name of the entry with the account's own keys. */
const CREDENTIALS = 'credentials';

/** Credentials and keys of the account as the library wants them, kept in sealed entries. */
export function createAuthState(library: Library, entries: SealedEntries, first: AuthenticationCreds) {
  const { BufferJSON, proto } = library;
  const encode = (value: unknown) => JSON.stringify(value, BufferJSON.replacer);
  const decode = (text: string) => JSON.parse(text, BufferJSON.reviver);
  const stored = entries.get(CREDENTIALS);
  const creds: AuthenticationCreds = stored === undefined ? first : decode(stored);

  const keys: SignalKeyStore = {
    async get(type, ids) {
      const found: Record<string, never> = {};
      for (const id of ids) {
        const text = entries.get(nameOf(type, id));
        if (text === undefined) continue;
        const value = decode(text);
        found[id] = (type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.create(value) : value) as never;
      }
      return found;
    },
    async set(data: SignalDataSet) {
      entries.change(
        Object.entries(data).flatMap(([type, values]) =>
          Object.entries(values ?? {}).map(
            ([id, value]) => [nameOf(type, id), value ? encode(value) : undefined] as const,
          ),
        ),
      );
      // The server hands them out as soon as they are uploaded.
      if (Object.values(data['pre-key'] ?? {}).some(Boolean)) await entries.flush();
    },
  };

  return {
    state: { creds, keys },
    save: () => entries.change([[CREDENTIALS, encode(creds)]]),
  };
}

export function nameOf(type: string, id: string): string {
  return `${type}:${id}`;
}

/** The credentials of a new link as text, and back. */
export function encodeCredentials({ BufferJSON }: Library, creds: AuthenticationCreds): string {
  return JSON.stringify(creds, BufferJSON.replacer);
}

export function decodeCredentials({ BufferJSON }: Library, text: string): AuthenticationCreds {
  return JSON.parse(text, BufferJSON.reviver);
}
