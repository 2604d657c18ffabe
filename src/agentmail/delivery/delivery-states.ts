import { existsSync } from 'node:fs';
import { AppError } from '../../domain/errors.ts';
import { backoffDelay, withJitter } from '../../lib/backoff.ts';
import type { Warn } from '../mailbox/quarantine.ts';
import { type DeliveryState, openDeliveryState } from './delivery-state.ts';
import { isBusy, isDamage, stateFilePath } from './state-file.ts';

/** The notes of each mail folder, opened when they are first needed. */
export interface DeliveryStates {
  /** Never throws and never fails: mail comes and goes also where notes about it cannot be kept. */
  of(mailFolder: string): DeliveryState;
  /**
   * Work that needs its notes. While another process writes it is begun again and again, without holding up anything
   * else; whoever waits too long is told BUSY. Where notes cannot be kept at all it does without them.
   */
  retryWhileBusy<T>(mailFolder: string, work: (state: DeliveryState) => T | Promise<T>): Promise<T>;
  close(): void;
}

const PATIENCE_MS = 2_000;
const RETRY = { firstMs: 4, longestMs: 40 };
/** Where a note could not be made the next ones are not tried: each would cost its time too. */
const SILENCE_MS = 500;

/** The notes are being written by somebody else. */
class NotesBusy extends Error {
  override readonly name = 'NotesBusy';
}

type Kind = 'read' | 'write';
type Method = (...args: never[]) => unknown;

export function createDeliveryStates(warn: Warn): DeliveryStates {
  const opened = new Map<string, DeliveryState>();
  const silences = new Map<string, { until: number; isBusy: boolean }>();

  function call(mailFolder: string, name: keyof DeliveryState, args: never[]): unknown {
    // Who only looks makes no file.
    if (READING.has(name) && !opened.has(mailFolder) && !existsSync(stateFilePath(mailFolder)))
      return without(name, args);
    const state = opened.get(mailFolder) ?? openDeliveryState(mailFolder, warn);
    opened.set(mailFolder, state);
    return (state[name] as Method)(...args);
  }

  function failed(mailFolder: string, kind: Kind, error: unknown): void {
    warn(`notes about mail in ${mailFolder} cannot be kept: ${(error as Error).message}`);
    if (!isDamage(error)) {
      const silence = { until: performance.now() + SILENCE_MS, isBusy: isBusy(error) };
      return void silences.set(`${kind} ${mailFolder}`, silence);
    }
    // The next one to need them puts the damaged file aside.
    opened.get(mailFolder)?.close();
    opened.delete(mailFolder);
  }

  function isSilent(mailFolder: string, kind: Kind, isPatient: boolean): boolean {
    const { until, isBusy } = silences.get(`${kind} ${mailFolder}`) ?? { until: 0, isBusy: false };
    return performance.now() < until && !(isPatient && isBusy);
  }

  function stateOf(mailFolder: string, isPatient: boolean): DeliveryState {
    return new Proxy(WITHOUT_NOTES, {
      get(_, name: keyof DeliveryState) {
        const kind = READING.has(name) ? 'read' : 'write';
        return (...args: never[]) => {
          if (isSilent(mailFolder, kind, isPatient)) return without(name, args);
          try {
            return call(mailFolder, name, args);
          } catch (error) {
            if (isPatient && isBusy(error)) throw new NotesBusy();
            failed(mailFolder, kind, error);
            return without(name, args);
          }
        };
      },
    });
  }

  return {
    of: (mailFolder) => stateOf(mailFolder, false),
    async retryWhileBusy(mailFolder, work) {
      const state = stateOf(mailFolder, true);
      const giveUpAt = performance.now() + PATIENCE_MS;
      for (let attempts = 1; ; attempts++) {
        try {
          return await work(state);
        } catch (error) {
          if (!(error instanceof NotesBusy)) throw error;
          if (performance.now() > giveUpAt) throw busy(mailFolder);
          await sleep(withJitter(backoffDelay(attempts, RETRY)));
        }
      }
    },
    close() {
      for (const state of opened.values()) state.close();
      opened.clear();
    },
  };
}

function busy(mailFolder: string): AppError {
  const path = stateFilePath(mailFolder);
  return new AppError('BUSY', `${path} was locked by another program for ${PATIENCE_MS / 1000} seconds`);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function without(name: keyof DeliveryState, args: never[]): unknown {
  return (WITHOUT_NOTES[name] as Method)(...args);
}

const READING: ReadonlySet<keyof DeliveryState> = new Set<keyof DeliveryState>([
  'answerable',
  'recipientWindow',
  'open',
  'sentBy',
  'leased',
  'hint',
  'namesOf',
  'wakeMethod',
  'exchange',
  'exchanges',
  'remoteAgents',
]);

const nothing = () => undefined;
const none = () => [];

/** What is known where nothing is. */
const WITHOUT_NOTES: DeliveryState = {
  stored: nothing,
  answerable: nothing,
  announced: nothing,
  fetched: nothing,
  bounced: nothing,
  recipientWindow: nothing,
  open: none,
  sentBy: none,
  lease: () => true,
  leased: () => new Set(),
  release: nothing,
  settle: nothing,
  hint: nothing,
  dropHint: nothing,
  sawWindows: nothing,
  namesOf: none,
  wakeMethod: nothing,
  keepWakeMethod: nothing,
  dropWakeMethod: nothing,
  exchange: nothing,
  keepExchange: nothing,
  dropExchange: nothing,
  exchanges: none,
  sawRemoteAgent: nothing,
  remoteAgents: none,
  forget: nothing,
  close: nothing,
};
