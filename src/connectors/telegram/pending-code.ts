import { z } from 'zod';
import type { LoginHost } from '../connector.ts';

/** A code that was sent, and not entered yet. */
export interface PendingCode {
  phone: string;
  hash: string;
  /** Where the user finds it. */
  where: string;
}

const NAME = 'code';
/** Telegram accepts a code for some minutes. */
const VALID_MS = 5 * 60_000;

const Stored = z.object({ phone: z.string(), hash: z.string(), where: z.string(), until: z.number() });

export async function rememberPending({ secrets, clock }: LoginHost, code: PendingCode): Promise<void> {
  await secrets.set(NAME, JSON.stringify({ ...code, until: clock.now() + VALID_MS }));
}

/** The code that an interrupted sign-in waits for. */
export async function pendingCode({ secrets, clock }: LoginHost): Promise<PendingCode | undefined> {
  const text = await secrets.get(NAME);
  if (text === undefined) return undefined;
  const { phone, hash, where, until } = Stored.parse(JSON.parse(text));
  return clock.now() < until ? { phone, hash, where } : undefined;
}

export async function forgetPending({ secrets }: Pick<LoginHost, 'secrets'>): Promise<void> {
  await secrets.delete(NAME);
}
