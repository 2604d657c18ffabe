declare const brand: unique symbol;
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

export type SessionId = Brand<string, 'SessionId'>;
export type OutboxId = Brand<string, 'OutboxId'>;
export type ConversationId = Brand<string, 'ConversationId'>;

/** Digits of chance in an id. */
const CHANCE = 16;

/**
 * An id that cannot be guessed and sorts by creation time: ten characters of milliseconds, sixteen of randomness.
 * Lower case and digits only, so it is safe in URLs, file names and HTTP headers.
 */
export function newId<Id extends string>(now: number, randomHex: (digits: number) => string): Id {
  return (now.toString(36).padStart(10, '0') + randomHex(CHANCE)) as Id;
}
