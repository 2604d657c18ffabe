import type { Warn } from './quarantine.ts';
import { openSide, type Side } from './side.ts';
import { isDamage } from './side-file.ts';

/** The notes of each mail folder, opened when they are first needed. */
export interface Sides {
  /** Never throws and never fails: mail comes and goes also where notes about it cannot be kept. */
  of(mailFolder: string): Side;
  close(): void;
}

export function createSides(warn: Warn): Sides {
  const opened = new Map<string, Side>();

  function open(mailFolder: string): Side {
    const side = opened.get(mailFolder) ?? openSide(mailFolder, warn);
    opened.set(mailFolder, side);
    return side;
  }

  function failed(mailFolder: string, error: unknown): void {
    warn(`notes about mail in ${mailFolder} cannot be kept: ${(error as Error).message}`);
    // The next one to need them puts the damaged file aside.
    if (isDamage(error)) opened.delete(mailFolder);
  }

  return {
    of(mailFolder) {
      return new Proxy(WITHOUT_NOTES, {
        get(nothing, name: keyof Side) {
          return (...args: never[]) => {
            try {
              return (open(mailFolder)[name] as (...args: never[]) => unknown)(...args);
            } catch (error) {
              failed(mailFolder, error);
              return (nothing[name] as (...args: never[]) => unknown)(...args);
            }
          };
        },
      });
    },
    close() {
      for (const side of opened.values()) side.close();
      opened.clear();
    },
  };
}

const nothing = () => undefined;
const none = () => [];

/** What is known where nothing is. */
const WITHOUT_NOTES: Side = {
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
  windows: none,
  way: nothing,
  keepWay: nothing,
  dropWay: nothing,
  exchange: nothing,
  keepExchange: nothing,
  dropExchange: nothing,
  exchanges: none,
  sawRemoteAgent: nothing,
  remoteAgents: none,
  forget: nothing,
  close: nothing,
};
