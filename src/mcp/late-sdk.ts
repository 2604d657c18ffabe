import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Session } from '../domain/session.ts';
import type { SdkConnection, SdkConnectionParts } from './sdk-connection.ts';

export interface LateSdkParts extends SdkConnectionParts {
  /** The session that began before the SDK was loaded; it is replayed to the SDK. */
  begunSession(): Session | undefined;
  /** The SDK could not be loaded. */
  onFailure(err: unknown): void;
}

/**
 * Loads the SDK with the first message that needs it, since loading it and creating its schemas takes longer than the
 * rest of a start. Messages are queued in order until then.
 */
export function createLateSdk({ begunSession, onFailure, ...parts }: LateSdkParts) {
  let connection: SdkConnection | undefined;
  let connecting: Promise<void> | undefined;
  const waiting: JSONRPCMessage[] = [];

  async function connect(): Promise<void> {
    const begun = begunSession();
    const { connectSdk } = await import('./sdk-connection.ts');
    connection = connectSdk(parts);
    if (begun) connection.restore(begun);
    for (const message of waiting.splice(0)) connection.deliver(message);
  }

  return {
    isUsed: () => connecting !== undefined,
    deliver(message: JSONRPCMessage): void {
      if (connection) return connection.deliver(message);
      waiting.push(message);
      connecting ??= connect().catch(onFailure);
    },
    notifyListChanged: (list: 'tools' | 'resources' | 'prompts') => connection?.notifyListChanged(list),
    async close(): Promise<void> {
      await connecting;
      await connection?.close();
    },
  };
}
