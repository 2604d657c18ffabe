import { type Capability, mayUse, type ResourceUpdate } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { EventLog, StoredEvent } from '../domain/event-log.ts';
import { isConfined } from '../domain/grants.ts';
import type { OutboxCaller } from '../domain/outbox.ts';
import type { Principal } from '../domain/principal.ts';
import { visibleDeep } from '../lib/visible.ts';
import type { Access } from '../operation.ts';
import { templateMatcher } from './patterns.ts';
import type { ChangedResource, MissedUpdates } from './registry.ts';

interface ChangesParts {
  events: EventLog;
  masker: { maskDeep<T>(value: T): T };
}

/** A changed resource, with the right of the resource and the capability it belongs to. */
interface Change {
  capability: Capability;
  access: Access;
  update: ChangedResource;
}

type ChangeListener = (change: Change) => void;

/** Events read from the log per page of missed updates. */
const PAGE = 100;

/** Which of the served resources each event of the log changes; computed once for all listeners. */
export function createChanges({ events, masker }: ChangesParts, served: readonly Capability[]) {
  const listeners = new Set<ChangeListener>();
  const accesses = new Map(served.map((capability) => [capability, accessByUri(capability)]));
  let stop: (() => void) | undefined;

  function changesOf(event: StoredEvent): Change[] {
    return served.flatMap((capability) =>
      (capability.updates?.(event) ?? []).flatMap((update) => {
        const access = accesses.get(capability)?.(update.uri);
        return access ? [{ capability, access, update: changed(capability, update, event.number) }] : [];
      }),
    );
  }

  function changed({ noteDelivery }: Capability, update: ResourceUpdate, number: number): ChangedResource {
    const { data, details } = visibleDeep(masker.maskDeep({ data: update.data, details: update.details }));
    return {
      ...update,
      data,
      ...(details ? { details } : {}),
      number,
      ...(noteDelivery ? { noteDelivery: (caller: OutboxCaller) => noteDelivery(caller, update.data) } : {}),
    };
  }

  function publish(stored: readonly StoredEvent[]): void {
    for (const event of stored) {
      for (const change of changesOf(event)) for (const listener of listeners) listener(change);
    }
  }

  return {
    listen(onUpdate: (update: ChangedResource) => void, principal: Principal): () => void {
      const listener: ChangeListener = (change) => {
        if (mayHear(change, principal)) onUpdate(updateFor(change, principal));
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
      return { updates: changes.map((change) => updateFor(change, principal)), upTo: page.at(-1)?.number ?? after };
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

/** A resource of another server, which only its gateway knows. */
const RELAYED: Access = { right: 'send' };

/** An update requires the right of the resource it is about; an update of no resource is sent to no client. */
function accessByUri({ resources = [], templates = [], gateway }: Capability): (uri: string) => Access | undefined {
  const fixed = new Map(resources.map((resource) => [resource.uri, resource]));
  const matchers = templates.map((template) => ({ template, variablesOf: templateMatcher(template.uriTemplate) }));
  return (uri) =>
    fixed.get(uri) ??
    matchers.find(({ variablesOf }) => variablesOf(uri) !== undefined)?.template ??
    (gateway && RELAYED);
}

function mayHear({ capability, access, update }: Change, principal: Principal): boolean {
  if (!mayUse(capability, access, principal)) return false;
  return capability.mayHear ? capability.mayHear(principal, update) : !isConfined(principal);
}

/** With the details that this principal may see. */
function updateFor({ capability, update }: Change, principal: Principal): ChangedResource {
  const { details, ...rest } = update;
  if (!details || !mayUse(capability, details, principal)) return rest;
  return { ...rest, fields: { ...rest.fields, ...details.fields }, data: { ...rest.data, ...details.data } };
}
