import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/errors.ts';
import { ownHello } from '../lib/daemon-hello.ts';
import type { Lock } from '../lib/lock.ts';
import { askStatus, askToLeave } from '../shim/attach.ts';
import { ownedBy } from './owner.ts';

/** How long another process may hold the lock without answering. */
const TAKEOVER_MS = 10_000;
const POLL_MS = 20;

/** Fails if another process owns the home and keeps it. Its error is more specific than "port in use". */
export async function refuseIfOwned(home: string): Promise<void> {
  const owner = await askStatus(home, ownHello('status'));
  if (owner && owner.kind !== 'auto') throw ownedBy(owner.kind, owner.pid, home);
}

/** The lock, taken over from an auto-started daemon if one has it; undefined if asked to end before. */
export async function takeHome(
  home: string,
  lockHome: () => Promise<Lock | undefined>,
  stop: AbortSignal,
): Promise<Lock | undefined> {
  const giveUpAt = Date.now() + TAKEOVER_MS;
  while (!stop.aborted) {
    const lock = await lockHome();
    if (lock) return lock;
    const answer = await askToLeave(home, ownHello('takeover'));
    if (answer?.error) throw new AppError('CONFLICT', answer.error.message, { hint: 'End that process first.' });
    if (Date.now() > giveUpAt) throw new AppError('CONFLICT', `Another process owns ${home} and does not answer.`);
    await sleep(POLL_MS);
  }
  return undefined;
}
