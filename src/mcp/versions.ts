/** Protocol versions with sessions, newest first. */
export const SESSION_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The version without sessions, in which every request says its own version. */
export const STATELESS_VERSION = '2026-07-28';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Names the `subscriptions/listen` request to which a notification belongs. */
export const SUBSCRIPTION_ID_KEY = 'io.modelcontextprotocol/subscriptionId';

/** The version a request claims for itself, as the stateless protocol asks; older requests claim none. */
export function claimedVersion(params: Record<string, unknown> | undefined): string | undefined {
  const meta = params?._meta;
  if (typeof meta !== 'object' || meta === null) return undefined;
  const version = (meta as Record<string, unknown>)[VERSION_KEY];
  return typeof version === 'string' ? version : undefined;
}
