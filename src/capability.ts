import type { z } from 'zod';
import { AppError } from './domain/errors.ts';
import type { EventLog, StoredEvent } from './domain/event-log.ts';
import type { Finding } from './domain/finding.ts';
import type { Gateway } from './domain/gateway.ts';
import { isConfined } from './domain/grants.ts';
import type { Guide } from './domain/guide.ts';
import type { JsonObject } from './domain/json.ts';
import type { Origin } from './domain/origin.ts';
import type { OutboxCaller } from './domain/outbox.ts';
import {
  allows,
  isOwner,
  type Principal,
  type Right,
  type Scope,
  type TokenFacts,
  tokenFacts,
} from './domain/principal.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import type { Access, Operation, OperationContext, Prompt, Resource, ResourceTemplate } from './operation.ts';
import type { MigrationPlan, StoreDefinition } from './storage/definition.ts';

/**
 * A part of the product, as a folder: what the rest of the program needs to know of it, and how it is opened. Defining one
 * loads next to nothing; schemas, SQL and networks are loaded when they are first needed.
 */
export interface CapabilityDefinition<Stored extends object = object, Settings extends object = object>
  extends CapabilityFacts {
  /** Its sections of the configuration, loaded when one is read. */
  config?(): Promise<{ config: ConfigDeclaration }>;
  /** The probes of doctor; loaded on demand. */
  probes?(): Promise<readonly Probe<Settings>[]>;
  /** Its tables in the store. */
  store?: StoreDefinition<Stored>;
  /** Opens nothing yet: dependencies are opened when a call needs them. */
  open(parts: CapabilityParts<Stored, Settings>): OpenCapability;
}

interface CapabilityFacts {
  name: string;
  /** The error code of a failed input check in this capability. */
  invalidInput: 'INVALID_PARAMETER' | 'VALIDATION_ERROR';
  /** Served only where all capabilities are (never alone): the program about itself. */
  combinedOnly?: boolean;
}

/** The settings that a part of the program adds to the configuration. */
export interface ConfigDeclaration {
  sections: Readonly<Record<string, ConfigSection>>;
  /** Reserved ids in the sections that share ids. */
  reservedIds?: readonly string[];
  /** Environment variables defined by other programs, with the keys they set. */
  variables?: Readonly<Record<string, readonly string[]>>;
  /** Keys of earlier versions, with the text of the warning for each. */
  ignoredKeys?: readonly { path: readonly string[]; text: string }[];
}

export interface ConfigSection {
  /** With a description of the section and of every key in it: they are the page about the configuration. */
  schema: z.ZodType;
  /** Keys in it that are read only when the program starts; `*` is all of them. */
  atStart?: readonly string[] | '*';
  /** The entries have ids, unique across all sections that set this. The noun for an entry in texts. */
  entry?: string;
}

/** A probe of doctor. Nothing is opened or started for it. */
export interface Probe<Settings> {
  check: string;
  examine(context: ProbeContext<Settings>): Promise<readonly Finding[]>;
}

export interface ProbeContext<Settings> {
  home: string;
  /** Its sections of the configuration; undefined where the configuration is not valid. */
  settings: Settings | undefined;
  /** Calls an operation in the process that owns the home; undefined where there is none. */
  ask<Input extends z.ZodObject, Output extends z.ZodObject>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
  ): Promise<z.output<Output> | undefined>;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of definitions does not know what each of them stores
export type AnyCapability = CapabilityDefinition<any, any>;

export function defineCapability<Stored extends object, Settings extends object>(
  definition: CapabilityDefinition<Stored, Settings>,
): CapabilityDefinition<Stored, Settings> {
  return definition;
}

/** What capabilities offer each other, by name. A capability that offers something declares its type here. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the capabilities, in their own folders
export interface Services {}

/** The dependencies of a capability. */
export interface CapabilityParts<Stored extends object, Settings extends object> {
  home: string;
  clock: Clock;
  log: Log;
  /** Its own part of the store, opened at the first call. */
  store(): Promise<Stored>;
  events(): Promise<EventLog>;
  /** Its sections of the configuration, as they are in force at this time. */
  settings(): Promise<Settings>;
  /** The secrets store, opened at the first call. */
  secrets(): Promise<SecretGroups>;
  /** Replaces every known secret in a text. */
  mask(text: string): string;
  /** The data that another thread needs to open the store. */
  storeAddress(): Promise<StoreAddress>;
  /** The service of another capability, which is opened for it. */
  service<Name extends keyof Services>(name: Name): Services[Name];
}

/** Secrets by their group (`source/ops`) and name. */
export interface SecretGroups {
  get(group: string, name: string): Promise<string | undefined>;
  set(group: string, name: string, value: string): Promise<void>;
  delete(group: string, name: string): Promise<boolean>;
  deleteGroup(group: string): Promise<boolean>;
  list(group?: string): Promise<readonly { name: string }[]>;
  /** Replaces `${secret:NAME}` (of the group `shared`) and `${env:NAME}`; an error names what is missing. */
  resolve(text: string): Promise<string>;
}

export interface StoreAddress {
  home: string;
  url: string;
  migrations: MigrationPlan;
}

/** A capability at run time: its tools, resources, prompts and commands, and its background work. */
export interface OpenCapability {
  operations: readonly Operation[];
  resources?: readonly Resource[];
  templates?: readonly ResourceTemplate[];
  prompts?: readonly Prompt[];
  /** Tools, resources and prompts of other servers, which come and go while the program runs. */
  gateway?: Gateway;
  /** What models are told of it, and which of its tools can work. */
  guide?: Guide;
  /** The resources that an event changes; subscribers of their URIs, or of matching patterns, are notified. */
  updates?(event: StoredEvent): readonly ResourceUpdate[];
  /**
   * Whether a principal that may read the changed resource is notified of this change too; all are where this is
   * missing, except confined ones.
   */
  mayHear?(principal: Principal, update: ResourceUpdate): boolean;
  /** The events it writes to the log. An event that no capability declares is sent to no client. */
  events?: readonly EventKind[];
  /** Passed to every operation, resource and prompt of this capability beside the call's own context. */
  parts: object;
  /**
   * The same for one call: filtered by the grants of its principal, and noting what other users' text it reads. No operation can
   * forget either.
   */
  partsFor?(principal: Principal, context: OperationContext): object;
  /**
   * Whether `partsFor` limits all that operations, resources and prompts can return to the caller's grants. Otherwise they
   * are refused to confined principals, unless they declare `confined`.
   */
  filtersByGrants?: boolean;
  /** The content of this event is delivered to a client, as a notification or in a stream. */
  noteDelivery?(caller: OutboxCaller, data: JsonObject): Promise<void>;
  /** What a token can carry for this capability, besides scopes. */
  grants?: readonly AnyGrant[];
  /** Its part of the status of the program. */
  status?: AnyStatusEntry;
  /** Its service for other capabilities. */
  service?: object;
  /** Background work in the process that owns the home; both return quickly. */
  start?(): Promise<void>;
  stop?(): Promise<void>;
  /** The configuration has changed while it runs. */
  reconfigured?(): Promise<void>;
  /** Deletes old data: the owner of the home runs it every day. */
  retention?: readonly Retention[];
  /** Whether background work is running, so that a daemon does not exit though it has no clients. */
  keepsDaemonAlive?(): boolean | Promise<boolean>;
  /** A process of this user has connected to the socket. Returns immediately. */
  welcome?(origin: Origin): void;
  /** Adds example data, to try the program without networks. */
  addDemo?(): Promise<void>;
}

/** Types of events, and who receives them. */
export interface EventKind {
  /** The beginning of the type: `message.`. */
  prefix: string;
  /** Their content, for the page about rights. */
  description: string;
  right: Right;
  /** Whether a principal with this right receives this event; all do where this is missing, except confined ones. */
  mayReceive?(principal: Principal, event: StoredEvent): boolean;
}

/** A key of the status, with its value. */
export interface StatusEntry<Value = unknown, Parts = unknown> {
  key: string;
  description: string;
  schema: z.ZodType<Value>;
  /** Called with the parts of the capability. */
  read(parts: Parts): Promise<Value>;
  /** As text. */
  line(value: Value): string;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of entries does not know the type of each
type AnyStatusEntry = StatusEntry<any, any>;

/** Something that a token can carry: an identity, or what it is confined to. */
export interface Grant<Given extends object = object> {
  description: string;
  /** Keys of an entry of `auth.tokens` in the configuration. */
  config: Shape;
  /** Options of `token add`. */
  options: Shape;
  /** Fields of a token as callers see it. */
  fields: Shape;
  /** What a principal carries, from an entry of the configuration or from options. */
  read(given: Given): TokenFacts;
  show(facts: TokenFacts): Record<string, unknown>;
  /** Facts with names replaced by the ids of what bears them now, if there are any; called for every request of a token. */
  resolve?(facts: TokenFacts): Promise<TokenFacts | undefined>;
  /** The field in which a new token would exceed the token that creates it. */
  exceeded?(facts: TokenFacts, giver: Principal): string | undefined;
  /** Its entry in a list of tokens. */
  summary?(facts: TokenFacts): string | undefined;
}

type Shape = Readonly<Record<string, z.ZodType>>;

// biome-ignore lint/suspicious/noExplicitAny: a list of grants does not know what each of them reads
export type AnyGrant = Grant<any>;

/** The declarations of all capabilities, for operations that are built from them. */
export interface Declared {
  /** Names of the capabilities, with which scopes begin. */
  capabilities: readonly string[];
  status: readonly AnyStatusEntry[];
  grants: readonly AnyGrant[];
}

export function declaredBy(capabilities: readonly Capability[]): Declared {
  return {
    capabilities: capabilities.map(({ name }) => name),
    status: capabilities.flatMap(({ status }) => (status ? [status] : [])),
    grants: capabilities.flatMap(({ grants = [] }) => grants),
  };
}

/** What a token carries, from an entry of the configuration or from options. */
export function factsFrom(grants: readonly AnyGrant[], given: object): TokenFacts {
  return tokenFacts(Object.assign({}, ...grants.map((grant) => grant.read(given))));
}

/** The principal with the names in its grants replaced by ids: nothing after this compares names. */
export async function withResolvedGrants(grants: readonly AnyGrant[], principal: Principal): Promise<Principal> {
  const resolved = await Promise.all(grants.map((grant) => grant.resolve?.(principal)));
  return resolved.some((facts) => facts !== undefined) ? Object.assign({ ...principal }, ...resolved) : principal;
}

/** What of a token's rights a principal does not have: the scopes, or the field in which it is less confined. */
export function rightsBeyond(
  principal: Principal,
  { scopes, facts }: { scopes: Iterable<string>; facts: TokenFacts },
  grants: readonly AnyGrant[],
): { scopes: readonly string[]; field: string | undefined } | undefined {
  const lacking = [...scopes].filter((scope) => !allows(principal, scope as Scope));
  const fields = grants.map((grant) => grant.exceeded?.(facts, principal));
  const field = fields.find((each) => each !== undefined);
  return lacking.length > 0 || field !== undefined ? { scopes: lacking, field } : undefined;
}

export interface Retention {
  /** The name of the deleted data in the log. */
  what: string;
  /** Returns how many entries were deleted. */
  forget(now: number): Promise<number>;
}

export interface Capability extends CapabilityFacts, OpenCapability {}

type Refusal = 'scope' | 'owner' | 'confined';

/**
 * Why a principal may not use something: it lacks the scope, it is not the owner, or it is confined to some chats and this
 * shows more. The one check of operations, resources, prompts, completion, subscriptions and notifications, on every door.
 */
function refusalOf(
  { name, filtersByGrants = false }: Capability,
  { right, ownerOnly, confined = filtersByGrants }: Access,
  principal: Principal,
): Refusal | undefined {
  if (!allows(principal, `${name}:${right}`)) return 'scope';
  if (ownerOnly && !isOwner(principal)) return 'owner';
  return confined || !isConfined(principal) ? undefined : 'confined';
}

/** Throws FORBIDDEN where a principal may not use something. */
export function checkAccess(capability: Capability, access: Access, principal: Principal): void {
  const refusal = refusalOf(capability, access, principal);
  if (refusal === undefined) return;
  const { name } = principal;
  if (refusal === 'owner') {
    throw new AppError('FORBIDDEN', `Only the owner may do this, and ${name} is not the owner's token.`, {
      hint: 'Run the command on the machine of Switchboard, or use the token of auth.token.',
    });
  }
  throw new AppError(
    'FORBIDDEN',
    refusal === 'scope'
      ? `This takes the scope ${capability.name}:${access.right}, which ${name} does not have.`
      : `This is about more than the chats to which ${name} is confined.`,
  );
}

export function mayUse(capability: Capability, access: Access, principal: Principal): boolean {
  return refusalOf(capability, access, principal) === undefined;
}

/** Whether a principal may see an event of the log. */
export function mayFollow(capabilities: readonly Capability[], principal: Principal, event: StoredEvent): boolean {
  for (const { name, events = [] } of capabilities) {
    const kind = events.find(({ prefix }) => event.type.startsWith(prefix));
    if (!kind) continue;
    if (!allows(principal, `${name}:${kind.right}`)) return false;
    return kind.mayReceive ? kind.mayReceive(principal, event) : !isConfined(principal);
  }
  return false;
}

/** A resource that changed, and what a subscription's query may filter by (`?sender=alice`). */
export interface ResourceUpdate {
  uri: string;
  /** A field with several values, such as a name and an id, matches when one of them does. */
  fields: Record<string, string | readonly string[]>;
  /** The event as subscribers see it. */
  data: JsonObject;
  /** What only subscribers with another right than that of the resource may see and filter by. */
  details?: Access & Pick<ResourceUpdate, 'fields' | 'data'>;
}

type PartsOf = (definition: AnyCapability) => Omit<CapabilityParts<object, object>, 'service'>;

/** Opens each once, in any order: one whose service another requests is opened for that. */
export function openCapabilities(definitions: readonly AnyCapability[], partsOf: PartsOf): readonly Capability[] {
  const opened = new Map<string, Capability>();
  const opening = new Set<string>();

  function open(name: string): Capability {
    const before = opened.get(name);
    if (before) return before;
    const definition = definitions.find((one) => one.name === name);
    if (!definition) throw new Error(`There is no capability ${name}.`);
    if (opening.has(name)) throw new Error(`Opening ${name} needs ${name} itself.`);
    opening.add(name);
    const { invalidInput, combinedOnly } = definition;
    const facts = { name, invalidInput, ...(combinedOnly === undefined ? {} : { combinedOnly }) };
    const made = { ...facts, ...definition.open({ ...partsOf(definition), service: (wanted) => serviceOf(wanted) }) };
    opened.set(name, made);
    return made;
  }

  function serviceOf<Name extends keyof Services>(name: Name): Services[Name] {
    const { service } = open(name);
    if (!service) throw new Error(`The capability ${name} offers no service.`);
    return service as Services[Name];
  }

  return definitions.map(({ name }) => open(name));
}
