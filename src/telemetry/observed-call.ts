import { type ErrorCode, toAppError } from '../domain/errors.ts';
import type { ProtocolRequest, TraceIds } from '../domain/protocol-request.ts';

/** One call as whoever counts and traces it sees it: what was called, never what was said. */
export interface ObservedCall {
  /** `system status`: capability and operation. */
  operation: string;
  door: string;
  request?: ProtocolRequest;
}

export interface CallEnd {
  result: 'ok' | ErrorCode;
  seconds: number;
}

/** Told when a call begins; what it gives back is told when the call has ended. */
export type Observer = (call: ObservedCall) => { end(outcome: CallEnd): void; trace?: TraceIds };

/** Runs calls under the eyes of whoever observes; costs nothing where nobody does. */
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
