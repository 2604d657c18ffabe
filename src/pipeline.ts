import { type Capability, checkAccess } from './capability.ts';
import { objectOf } from './domain/audited-object.ts';
import { AskClient } from './domain/client-question.ts';
import { AppError, toAppError } from './domain/errors.ts';
import type { JsonObject } from './domain/json.ts';
import type { TraceIds } from './domain/protocol-request.ts';
import type { Clock } from './lib/clock.ts';
import { withDeadline } from './lib/deadline.ts';
import { inputProblems } from './lib/input-problems.ts';
import type { Log } from './lib/log.ts';
import {
  type Access,
  accessOf,
  type Call,
  type Effect,
  nameOf,
  type Operation,
  type OperationContext,
  type Pipeline,
  type Settle,
} from './operation.ts';

/** The facts of one call of an operation or a resource, or of a request to another server. */
interface PendingCall {
  capability: Capability;
  name: string;
  access: Access;
  effect: Effect;
  /** None for a stream, which runs until its caller ends it, and for what has a limit of its own. */
  deadlineMs?: number;
  call: Call;
  /** The input of an operation, or the resource that is read. */
  named: unknown;
  /** Its audit line is written later, together with others. */
  isBatched?: boolean;
}

/** So little of a hash tells tokens of one name apart, and helps nobody to guess one. */
const SHOWN_IDENTITY = 4;
const MAX_REASON = 300;

export interface PipelineParts {
  clock: Clock;
  log: Log;
  /** Timeout of one call in milliseconds, if an operation has none. */
  deadlineMs(): number;
  /** Removes every known secret from answers and errors. */
  mask: { mask(text: string): string; maskDeep<T>(value: T): T };
  audit(entry: {
    at: number;
    principal: string;
    door: string;
    operation: string;
    effect: Effect;
    durationMs: number;
    result: string;
    identity?: string;
    session?: string;
    object?: Readonly<Record<string, string>>;
    reason?: string;
    /** It may be written later, together with others; lines of reads always may. */
    isBatched?: boolean;
  }): Promise<void>;
  /** Runs the call inside a span where telemetry is on. */
  span?<T>(name: string, call: Call, run: (trace?: TraceIds) => Promise<T>): Promise<T>;
}

export interface RunningPipeline extends Pipeline {
  /**
   * Runs the stream of an operation that has one, as one call: one check of the input, one audit line, no deadline. The
   * next output is requested when `emit` has resolved. Ends when the caller's signal is aborted.
   */
  follow(
    capability: Capability,
    operation: Operation,
    input: unknown,
    call: Call,
    emit: (output: JsonObject) => Promise<void>,
  ): Promise<void>;
  /** Resolves when everything that operations do after their delivery is done. */
  drain(): Promise<void>;
}

export function createPipeline(pipelineParts: PipelineParts): RunningPipeline {
  const followUps = new Set<Promise<void>>();
  const parts: InnerParts = { ...pipelineParts, followUps };
  return {
    drain: async () => void (await Promise.all(followUps)),

    call(capability, operation, input, call) {
      const pending: PendingCall = {
        capability,
        name: nameOf(operation),
        access: accessOf(operation),
        effect: operation.effect,
        deadlineMs: operation.deadlineMs ?? parts.deadlineMs(),
        call,
        named: input,
      };
      return execute(parts, pending, async (context) => {
        const checked = checkInput(operation, input, capability.invalidInput);
        const output = await operation.run(checked, { ...context, ...partsOf(capability, context) });
        return parts.mask.maskDeep(checkOutput(operation, output));
      });
    },

    follow(capability, operation, input, call, emit) {
      const { follow } = operation;
      if (!follow) throw new Error(`${nameOf(operation)} has no stream`);
      const pending: PendingCall = {
        capability,
        name: nameOf(operation),
        access: accessOf(operation),
        effect: operation.effect,
        call,
        named: input,
      };
      return execute(parts, pending, async (context) => {
        const checked = checkInput(operation, input, capability.invalidInput);
        for await (const output of follow.stream(checked, { ...context, ...partsOf(capability, context) })) {
          if (context.signal.aborted) return;
          await emit(parts.mask.maskDeep(checkOutput(operation, output)));
        }
      });
    },

    relay(capability, { name, access, effect, named }, call, run) {
      const pending: PendingCall = { capability, name, access, effect, call, named, isBatched: true };
      return execute(parts, pending, async (context) => parts.mask.maskDeep(await run(context)));
    },

    read(capability, { name, access }, call, run) {
      const pending: PendingCall = {
        capability,
        name,
        access,
        effect: 'reads',
        deadlineMs: parts.deadlineMs(),
        call,
        named: { uri: call.request?.resource },
      };
      return execute(parts, pending, async (context) =>
        parts.mask.maskDeep(await run({ ...context, ...partsOf(capability, context) })),
      );
    },
  };
}

function partsOf({ parts, partsFor }: Capability, context: OperationContext): object {
  return partsFor?.(context.principal, context) ?? parts;
}

interface InnerParts extends PipelineParts {
  followUps: Set<Promise<void>>;
}

async function execute<T>(
  parts: InnerParts,
  pending: PendingCall,
  run: (context: OperationContext) => Promise<T>,
): Promise<T> {
  const { capability, name, call } = pending;
  const at = parts.clock.now();
  const deliveries = createDeliveries(parts);
  let failure: AppError | undefined;
  let { log } = parts;
  try {
    const checked = (trace?: TraceIds) => {
      if (trace) log = log.child({ ...trace });
      checkAccess(capability, pending.access, call.principal);
      return limited(pending, (signal) =>
        run({
          principal: call.principal,
          door: call.door,
          signal,
          log,
          // Work that ignores its signal may continue after the answer; the caller no longer expects progress.
          progress: (...report) => void (signal.aborted || call.progress?.(...report)),
          origin: call.origin,
          session: call.session,
          isPerson: call.isPerson,
          asking: call.asking,
          posted: call.posted,
          onDelivery: deliveries.add,
        }),
      );
    };
    const answer = await (parts.span ? parts.span(wholeName(capability, name), call, checked) : checked());
    // What was read is not returned if the rights were revoked while it was read.
    if (pending.effect === 'reads') checkAccess(capability, pending.access, call.principal);
    deliveries.handTo(call);
    return answer;
  } catch (thrown) {
    deliveries.fail();
    if (thrown instanceof AskClient) throw thrown;
    const error = toAppError(thrown);
    if (error.code === 'INTERNAL') log.error({ err: error.cause ?? error, operation: name }, 'a call failed');
    failure = masked(error, parts.mask);
    throw failure;
  } finally {
    const audited = writeAudit(parts, pending, at, failure);
    // These lines are written later, in batches: their callers do not wait for it.
    if (pending.effect !== 'reads' && !pending.isBatched) await audited;
  }
}

const NONE: readonly Settle[] = [];

/** Listeners for the delivery of the answer of one call. */
function createDeliveries({ log, followUps }: InnerParts) {
  let listeners: readonly Settle[] = NONE;
  let failed = false;

  function add(settle: (delivered: boolean) => Promise<void>): void {
    let isNotified = false;
    const notify: Settle = (delivered) => {
      if (isNotified) return;
      isNotified = true;
      const work = settle(delivered)
        .catch((err: unknown) => log.error({ err }, 'the work after the delivery of an answer failed'))
        .finally(() => followUps.delete(work));
      followUps.add(work);
    };
    // A call that ignores its signal may end after it was answered with a failure.
    if (failed) notify(false);
    else listeners = [...listeners, notify];
  }

  return {
    add,
    handTo(call: Call): void {
      for (const notify of listeners) {
        if (call.onDelivery) call.onDelivery(notify);
        else notify(true);
      }
    },
    fail(): void {
      failed = true;
      for (const notify of listeners) notify(false);
    },
  };
}

/** A failure is only logged: a caller that gets an error would repeat a call that was carried out. */
async function writeAudit(parts: PipelineParts, pending: PendingCall, at: number, failure: AppError | undefined) {
  const { name, effect, call, named } = pending;
  const durationMs = parts.clock.now() - at;
  const { principal, door, session } = call;
  const object = objectOf(named, parts.mask.mask);
  try {
    await parts.audit({
      at,
      principal: principal.name,
      door,
      operation: name,
      effect,
      durationMs,
      result: failure?.code ?? 'ok',
      ...(principal.kind === 'token' ? { identity: principal.identity.slice(0, SHOWN_IDENTITY) } : {}),
      ...(session === undefined ? {} : { session }),
      ...(object ? { object } : {}),
      ...(failure?.code === 'FORBIDDEN' ? { reason: failure.message.slice(0, MAX_REASON) } : {}),
      ...(pending.isBatched ? { isBatched: true } : {}),
    });
  } catch (err) {
    parts.log.error({ err, operation: name }, 'the audit line of a call could not be written');
  }
}

function limited<T>({ deadlineMs, call }: PendingCall, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (deadlineMs === undefined) return work(call.signal ?? new AbortController().signal);
  return withDeadline(deadlineMs, call.signal, endedBecause(deadlineMs), work);
}

function endedBecause(deadlineMs: number): (why: 'timeout' | 'cancelled') => AppError {
  return (why) =>
    why === 'cancelled'
      ? new AppError('TIMEOUT', 'The call was cancelled.')
      : new AppError('TIMEOUT', `The call took longer than ${deadlineMs} ms and was ended.`);
}

function checkInput(operation: Operation, input: unknown, code: Capability['invalidInput']): Record<string, unknown> {
  const parsed = operation.input.safeParse(input ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  const { message, field } = inputProblems(parsed.error.issues, Object.keys(operation.input.shape));
  throw new AppError(code, message, { field });
}

function checkOutput(operation: Operation, output: unknown): JsonObject {
  const parsed = operation.output.safeParse(output);
  if (parsed.success) return parsed.data as JsonObject;
  throw new Error(`${nameOf(operation)} gave an output that does not fit its schema: ${parsed.error.message}`);
}

function masked(error: AppError, { mask, maskDeep }: PipelineParts['mask']): AppError {
  const message = mask(error.message);
  const field = error.field === undefined ? undefined : mask(error.field);
  const hint = error.hint === undefined ? undefined : mask(error.hint);
  const upstream = error.upstream && maskDeep(error.upstream);
  if (message === error.message && field === error.field && hint === error.hint && upstream === error.upstream) {
    return error;
  }
  return new AppError(error.code, message, { field, hint, upstream, cause: error.cause });
}

/** `system status`, and `chat sources` where the name begins with the capability. */
function wholeName({ name: capability }: Capability, name: string): string {
  const isWhole = name.startsWith(`${capability} `) || name.startsWith(`${capability}_`);
  return isWhole ? name : `${capability} ${name}`;
}
