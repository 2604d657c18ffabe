import type { Capability } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { EventLog, StoredEvent } from '../domain/event-log.ts';
import type { OutboxCaller } from '../domain/outbox.ts';
import { allows, type Principal } from '../domain/principal.ts';
import { visibleDeep } from '../lib/visible.ts';
import type { ChangedResource, MissedUpdates } from './registry.ts';

interface ChangesParts {
  events: EventLog;
  masker: { maskDeep<T>(value: T): T };
}

/** A changed resource and the capability it belongs to. */
interface Change {
  capability: Capability;
  update: ChangedResource;
}

type ChangeListener = (change: Change) => void;

/** Events read from the log per page of missed updates. */
const PAGE = 100;

/** Which of the served resources each event of the log changes; computed once for all listeners. */
export function createChanges({ events, masker }: ChangesParts, served: readonly Capability[]) {
  const listeners = new Set<ChangeListener>();
  let stop: (() => void) | undefined;

  function changesOf(event: StoredEvent): Change[] {
    return served.flatMap((capability) => {
      const { noteDelivery } = capability;
      return (capability.updates?.(event) ?? []).map((update) => ({
        capability,
        update: {
          ...update,
          data: visibleDeep(masker.maskDeep(update.data)),
          number: event.number,
          ...(noteDelivery ? { noteDelivery: (caller: OutboxCaller) => noteDelivery(caller, update.data) } : {}),
        },
      }));
    });
  }

  function publish(stored: readonly StoredEvent[]): void {
    for (const event of stored) {
      for (const change of changesOf(event)) for (const listener of listeners) listener(change);
    }
  }

  return {
    listen(onUpdate: (update: ChangedResource) => void, principal: Principal): () => void {
      const listener: ChangeListener = (change) => {
        if (mayHear(change, principal)) onUpdate(change.update);
      };
      listeners.add(listener);
      stop ??= events.listen(publish);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },

    async missed(after: number, principal: Principal): Promise<MissedUpdates> {
      const page = await events.read(after, { limit: PAGE });
      const changes = page.flatMap(changesOf).filter((change) => mayHear(change, principal));
      return { updates: changes.map(({ update }) => update), upTo: page.at(-1)?.number ?? after };
    },

    newest: async () => (await events.range()).last,

    /** Throws unless all events after this one are still in the log. */
    async checkKept(after: number): Promise<void> {
      const { first, last } = await events.range();
      if (after > last) {
        throw new AppError('NOT_FOUND', `There is no event ${after} yet: the newest is ${last}.`, { field: 'uri' });
      }
      if (after >= first - 1) return;
      throw new AppError('NOT_FOUND', `What came after event ${after} is not kept any more.`, {
        field: 'uri',
        hint: `The oldest number to resume from is ${first - 1}. Read what you have missed, and subscribe without \`after\`.`,
      });
    },
  };
}

export function mayRead(capability: Capability, principal: Principal): boolean {
  return allows(principal, `${capability.name}:read`);
}

function mayHear({ capability, update }: Change, principal: Principal): boolean {
  return mayRead(capability, principal) && (capability.mayHear?.(principal, update) ?? true);
}
