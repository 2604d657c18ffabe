import { type ErrorCode, toAppError } from '../domain/errors.ts';
import type { ProtocolRequest, TraceIds } from '../domain/protocol-request.ts';

/** A call as observers see it: what was called, never its arguments. */
export interface ObservedCall {
  /** Capability and operation, for example `system status`. */
  operation: string;
  door: string;
  request?: ProtocolRequest;
}

export interface CallEnd {
  result: 'ok' | ErrorCode;
  seconds: number;
}

/** Called when a call begins; `end` is called when it has ended. */
export type Observer = (call: ObservedCall) => { end(outcome: CallEnd): void; trace?: TraceIds };

/** Runs calls and notifies the observers. Costs nothing without observers. */
export function createObservation(observers: readonly Observer[]) {
  return async function observe<T>(call: ObservedCall, run: (trace?: TraceIds) => Promise<T>): Promise<T> {
    if (observers.length === 0) return run();
    const startedAt = performance.now();
    const started = observers.map((begin) => begin(call));
    let result: CallEnd['result'] = 'ok';
    try {
      return await run(started.find(({ trace }) => trace)?.trace);
    } catch (thrown) {
      result = toAppError(thrown).code;
      throw thrown;
    } finally {
      const outcome = { result, seconds: (performance.now() - startedAt) / 1_000 };
      for (const { end } of started) end(outcome);
    }
  };
}
