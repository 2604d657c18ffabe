import { isRecord } from '../lib/is-record.ts';
/** Protocol versions with sessions, newest first. */
export const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

const SESSION_VERSION_SET: ReadonlySet<unknown> = new Set(SESSION_VERSIONS);

export function isSessionVersion(version: unknown): boolean {
  return SESSION_VERSION_SET.has(version);
}

/** Its clients know no result for an unknown tool other than an error with its own code. */
export const OLDEST_VERSION = '2024-11-05';

/** The version without sessions, in which every request contains its version. */
export const STATELESS_VERSION = '2026-07-28';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Names the `subscriptions/listen` request to which a notification belongs. */
export const SUBSCRIPTION_ID_KEY = 'io.modelcontextprotocol/subscriptionId';

/** Whether a request names a version of the stateless protocol, even one that is no text. */
export function namesVersion(params: Record<string, unknown> | undefined): boolean {
  return isRecord(params?._meta) && VERSION_KEY in params._meta;
}

/** The version that a request claims, as the stateless protocol requires; older requests contain none. */
export function claimedVersion(params: Record<string, unknown> | undefined): string | undefined {
  const meta = params?._meta;
  const version = isRecord(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}
