import type { AppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { OperationContext } from '../operation.ts';

/** A call of a command, as one line of JSON. */
export interface CallLine {
  operation: string;
  input: unknown;
  /** Requests a stream: outputs are sent until the command closes the connection. */
  follow?: boolean;
  /**
   * The command keeps its end of the connection open until it has the answer: closing it cancels the call, which is the only one of
   * the connection.
   */
  keepsOpen?: boolean;
}

/** The answers of the daemon, one line of JSON each. The last one is an output, an error or, of a stream, its end. */
export type AnswerLine =
  | { progress: Parameters<OperationContext['progress']> }
  | { output: JsonObject }
  | { error: ReturnType<AppError['toJSON']> }
  /** An output of a stream. */
  | { item: JsonObject }
  /** The stream has ended. */
  | { end: StreamEnd };

export interface StreamEnd {
  /** The daemon ends: another one may take over within this time, and none is to be started before. */
  handoverMs?: number;
}
