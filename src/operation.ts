import type { z } from 'zod';
import type { Capability, Declared } from './capability.ts';
import type { AskingClient } from './domain/client-question.ts';
import type { JsonObject } from './domain/json.ts';
import type { Origin } from './domain/origin.ts';
import type { Principal, Right } from './domain/principal.ts';
import type { ProtocolRequest } from './domain/protocol-request.ts';
import type { Log } from './lib/log.ts';

/** The effect of an operation; clients decide from it whether to ask the user. */
export type Effect = 'reads' | 'writes' | 'sends' | 'destroys';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Who may use something that a capability offers. */
export interface Access {
  /** The right it requires within its capability. */
  right: Right;
  /**
   * Whether a token that is confined to some chats may use it: what it returns is limited by the caller's grants.
   * Default: `filtersByGrants` of its capability.
   */
  confined?: boolean;
  /** It could change what grants rights, so it takes all of them: only for the user of this machine and `auth.token`. */
  ownerOnly?: boolean;
}

/** A use case, written once. The MCP tool, the REST route and the CLI command are derived from it. */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  // biome-ignore lint/suspicious/noExplicitAny: an operation names the parts it needs; a list of operations does not
  Parts = any,
> {
  /**
   * The tool's name on its capability's own endpoint, and on the combined one where that differs; `combinedOnly` where it is
   * not offered on its capability's own. `aliases` are former names: they are answered, but not listed.
   */
  mcp?: {
    name: string;
    combined_name?: string;
    title?: string;
    combinedOnly?: boolean;
    aliases?: readonly string[];
    /** A right that its tool requires besides that of the operation. */
    right?: Right;
    /** The structured content: the output without what is the default or said elsewhere. `asked`: the arguments. */
    structured?(output: z.output<Output>, asked: Readonly<Record<string, unknown>>): object;
  };
  /**
   * `path` as typed (`db backup`); `positionals` name input fields; `stdin` names the field read from standard input;
   * `local` runs in the command's own process, without the daemon; `alone` does so where no daemon can be started, for
   * what fixes a configuration that prevents it from starting.
   */
  cli?: {
    path: string;
    /** Further paths of the same command. */
    aliases?: readonly string[];
    positionals?: readonly string[];
    stdin?: string;
    /** Standard input is read for that field wherever it is not a terminal, without being asked for. */
    piped?: boolean;
    /** Where it is followed: the field `text` of each output is the next part of one text. */
    isStreamed?: boolean;
    examples?: readonly string[];
    /** Further sections of its help. */
    topics?: readonly HelpTopic[];
    /** Words that shells complete where its arguments are typed. */
    suggestions?: readonly string[];
    local?: boolean;
    alone?: boolean;
    /** Input fields that are not for a command line. */
    omit?: readonly string[];
    /** Further names of options: `{ chat_type: ['type'] }` makes `--type` the same as `--chat-type`. */
    also?: Readonly<Record<string, readonly string[]>>;
    /** How what it lists is shown, where a table of everything would not do; `--format` chooses. */
    list?: CliList;
    /** Short options: `{ n: 'lines' }` makes `-n 5` the same as `--lines 5`. */
    letters?: Readonly<Record<string, string>>;
    /**
     * If `stdin` names a list: the operation is called with each batch of lines until standard input
     * ends; this combines the results of the calls.
     */
    total?(before: z.output<Output>, more: z.output<Output>): z.output<Output>;
    /** Asks the user before the next call, which gets the answer; repeated until there is no question. */
    question?(input: z.output<Input>, output: z.output<Output>): CliQuestion<z.input<Input>> | undefined;
    /** Whether a result means failure: exit code 1. */
    failed?(output: z.output<Output>): boolean;
  };
  /** `path` below `/api/v1`, with `:field` for input fields; `body` names the list field that the body is, whole or one item. */
  rest?: { method: HttpMethod; path: string; body?: string };
  kind: 'command' | 'query';
  effect: Effect;
  /** The right it requires within its capability; derived from `effect` by default. */
  right?: Right;
  confined?: Access['confined'];
  ownerOnly?: Access['ownerOnly'];
  /** Timeout of one call in milliseconds, if it differs from the default. */
  deadlineMs?: number;
  /** Calling it twice with the same input is the same as once. */
  idempotent?: boolean;
  description: string;
  input: Input;
  output: Output;
  run(input: z.output<Input>, context: OperationContext & Parts): Promise<z.input<Output>>;
  /** For a command that runs until it is interrupted. */
  follow?: {
    /** Whether this input requests a stream. */
    isWanted(input: z.output<Input>): boolean;
    /** First the result of `run`, then further outputs. Ends when the signal of the context is aborted. */
    stream(input: z.output<Input>, context: OperationContext & Parts): AsyncIterable<z.input<Output>>;
    /** It is not repeated when it breaks: that would do everything again. */
    isOnce?: boolean;
    /** The input that continues after this output, for a caller whose stream broke. */
    resume(input: z.output<Input>, last: z.output<Output>): z.input<Input>;
  };
  /** Text for a model or a person: short, with the ids that the next call needs. */
  render?(output: z.output<Output>): string;
  /** Values derived from the declarations of all capabilities. */
  complete?(declared: Declared): Partial<Pick<Operation, 'input' | 'output' | 'render'>>;
  /** A hint for the model in a separate block, for results whose text is fixed. */
  aside?(output: z.output<Output>): string | undefined;
}

/** A section of a command's help: terms and what they mean. */
export interface HelpTopic {
  heading: string;
  entries: readonly (readonly [term: string, meaning: string])[];
}

export interface CliQuestion<Input> {
  text: string;
  /** Whether the answer must not be seen on the screen. */
  secret: boolean;
  /** Otherwise the text is only shown. */
  isAnswered: boolean;
  /** Drawn as a QR code below the text where that is a terminal. */
  qrCode?: string;
  /** It is asked only where a person answers; elsewhere the result is shown as it is. */
  terminalOnly?: boolean;
  next(answer: string): Input;
}

/** All items of a list, and the input of the operation. */
export interface Listing<Thing> {
  all: readonly Thing[];
  input: Readonly<Record<string, unknown>>;
}

/** How a command shows a list of items. */
// biome-ignore lint/suspicious/noExplicitAny: what is listed is known to the operation, not to the command that shows it
export interface CliList<Thing = any> {
  /** The field of the output that is the list. */
  key: string;
  columns: readonly string[];
  /** A thing as a row of the table, where its fields are not the columns. */
  row?(thing: Thing, listing: Listing<Thing>): Record<string, unknown>;
  /** The last column is a text to be read: on a narrow terminal it goes on in further lines and is not shortened. */
  wholeText?: boolean;
  /** One entry as a line; untrusted text in it is escaped. */
  line(thing: Thing, listing: Listing<Thing>): string;
  /** Reversed for terminals, so that the newest entry is at the bottom. */
  newestLast?: boolean;
  /** Default of `--format`: compact where the lines are too long for a table. */
  format?: 'table' | 'compact';
  /** Text below the table; default: the remaining fields of the answer by name. */
  notes?(output: Record<string, unknown>): readonly string[];
}

/** The context of a call, beside the parts its capability was built with. */
export interface OperationContext {
  principal: Principal;
  /** The door of the call. */
  door: Call['door'];
  /** Aborted when the caller disconnects or cancels, or the deadline passes. */
  signal: AbortSignal;
  log: Log;
  /** Reports the progress of a long call; does nothing if the caller did not request it. */
  progress(done: number, total?: number, message?: string): void;
  /** The calling process; missing if the call was made over the network. */
  origin?: Origin | undefined;
  /** Id of the caller's session, if its protocol has sessions. */
  session?: string | undefined;
  /** Whether the caller is surely the person, and no agent; missing where the door cannot know. */
  isPerson?: (() => Promise<boolean>) | undefined;
  /** Set where the client can ask its user. */
  asking?: AskingClient | undefined;
  /** The raw REST request, to verify signatures. */
  posted?: Posted | undefined;
  /**
   * Registers a callback that is called once with whether the answer was delivered: `false` if the call failed, was
   * cancelled, or the caller had disconnected. For effects that depend on it, such as marking a letter as read. The
   * caller does not wait for it.
   */
  onDelivery(settle: (delivered: boolean) => Promise<void>): void;
}

export interface Posted {
  body: Buffer;
  /** By its name in lower case. */
  header(name: string): string | undefined;
}

export function operation<Input extends z.ZodObject, Output extends z.ZodObject, Parts = unknown>(
  definition: Operation<Input, Output, Parts>,
): Operation<Input, Output, Parts> {
  return definition;
}

/** An operation whose schemas depend on what capabilities declare; they are created on first use. */
export function completed(operation: Operation, declared: () => Declared): Operation {
  if (!('complete' in operation)) return operation;
  let made: ReturnType<NonNullable<Operation['complete']>> | undefined;
  const late = (key: 'input' | 'output' | 'render') => ({
    get() {
      made ??= operation.complete?.(declared()) ?? {};
      return made[key] ?? operation[key];
    },
    enumerable: true,
  });
  return Object.create(operation, { input: late('input'), output: late('output'), render: late('render') });
}

const RIGHT_OF: Record<Effect, Right> = { reads: 'read', writes: 'write', sends: 'send', destroys: 'write' };

export function rightOf(operation: Pick<Operation, 'right' | 'effect'>): Right {
  return operation.right ?? RIGHT_OF[operation.effect];
}

/** For a resource with the same data as an operation, too: both require the same right. */
export function accessOf(operation: Pick<Operation, 'right' | 'effect' | 'confined' | 'ownerOnly'>): Access {
  const { confined, ownerOnly } = operation;
  return {
    right: rightOf(operation),
    ...(confined === undefined ? {} : { confined }),
    ...(ownerOnly === undefined ? {} : { ownerOnly }),
  };
}

/** The readable name of the operation in logs and the audit log: the CLI path, or the combined tool name. */
export function nameOf(operation: Operation): string {
  const { cli, mcp, rest } = operation;
  const name = cli?.path ?? mcp?.combined_name ?? mcp?.name ?? rest?.path;
  if (name === undefined) throw new Error('An operation needs at least one door.');
  return name;
}

interface ResourceHead {
  uri: string;
  mimeType: string;
  /** What a program may want to know beside it. */
  _meta?: JsonObject;
}

export interface TextContent extends ResourceHead {
  text: string;
}

export interface BlobContent extends ResourceHead {
  /** In base64. */
  blob: string;
}

/** Something that can be read by its URI. */
export interface Resource<Parts = unknown> extends Access {
  uri: string;
  name: string;
  title?: string;
  description: string;
  mimeType: string;
  read(context: OperationContext & Parts): Promise<string>;
}

/** Resources whose URIs follow a pattern (RFC 6570 level 1, `{name}`). */
export interface ResourceTemplate<Parts = unknown, Content = TextContent | BlobContent> extends Access {
  uriTemplate: string;
  name: string;
  title?: string;
  description: string;
  mimeType: string;
  read(uri: URL, variables: Record<string, string>, context: OperationContext & Parts): Promise<Content>;
  /** Suggestions for a variable, best first; `chosen` are the others that have been filled in. */
  complete?(
    variable: string,
    prefix: string,
    context: OperationContext & Parts,
    chosen: Readonly<Record<string, string>>,
  ): Promise<readonly string[]>;
  /**
   * Whether a URI (or pattern) of this template can be subscribed to; throws an AppError with the reason. Returns the
   * URIs to follow instead, if updates are published under another URI than the subscriber used.
   */
  subscribe?(uri: string, context: OperationContext & Parts): Promise<readonly string[] | undefined>;
}

export interface PromptArgument {
  name: string;
  description: string;
  required: boolean;
}

export interface Prompt<Parts = unknown> extends Access {
  name: string;
  title?: string;
  description: string;
  arguments: readonly PromptArgument[];
  get(args: Record<string, string>, context: OperationContext & Parts): Promise<{ description?: string; text: string }>;
  complete?(
    argument: string,
    prefix: string,
    context: OperationContext & Parts,
    chosen: Readonly<Record<string, string>>,
  ): Promise<readonly string[]>;
}

/** The caller and the door of one call. */
export interface Call {
  principal: Principal;
  /** `claude`: a model in a conversation of this program. */
  door: 'mcp' | 'rest' | 'cli' | 'claude';
  signal?: AbortSignal;
  progress?: OperationContext['progress'] | undefined;
  request?: ProtocolRequest;
  origin?: OperationContext['origin'];
  session?: OperationContext['session'];
  isPerson?: OperationContext['isPerson'];
  asking?: OperationContext['asking'];
  posted?: OperationContext['posted'];
  /**
   * Set by a door that reports whether the answer was delivered. Without it, the answer counts as delivered.
   */
  onDelivery?: ((settle: Settle) => void) | undefined;
}

/** Reports the delivery of an answer; only the first report counts. */
export type Settle = (delivered: boolean) => void;

/** Every call of every door passes through this. Fails only with an AppError. */
export interface Pipeline {
  call(capability: Capability, operation: Operation, input: unknown, call: Call): Promise<JsonObject>;
  /**
   * The same for a request that another server answers: scope, audit and masking. That server checks the input, and the request
   * has a time limit of its own.
   */
  relay<T>(
    capability: Capability,
    entry: { name: string; access: Access; effect: Effect; named: Record<string, string> },
    call: Call,
    run: (context: OperationContext) => Promise<T>,
  ): Promise<T>;
  /** The same for resources, read by URI, and prompts, requested by name. */
  read<T>(
    capability: Capability,
    entry: { name: string; access: Access },
    call: Call,
    run: (context: OperationContext) => Promise<T>,
  ): Promise<T>;
}
