import type { Capability } from '../../src/capability.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Call, OperationContext, Pipeline } from '../../src/operation.ts';
import { silentLog } from './operation-context.ts';

/** A pipeline without checks, for tests of the code that calls it. */
export const passThroughPipeline: Pipeline = {
  call: async (capability, operation, input, call) =>
    (await operation.run(input as Record<string, unknown>, contextOf(capability, call))) as JsonObject,
  relay: (capability, _, call, run) => run(contextOf(capability, call)),
  read: (capability, _, call, run) => run(contextOf(capability, call)),
};

function contextOf(
  capability: Capability,
  { principal, door, signal, progress, origin, onDelivery }: Call,
): OperationContext {
  return {
    principal,
    door,
    signal: signal ?? new AbortController().signal,
    log: silentLog,
    progress: progress ?? (() => {}),
    ...(origin ? { origin } : {}),
    onDelivery: (settle) => onDelivery?.((delivered) => void settle(delivered)),
    ...capability.parts,
  };
}
