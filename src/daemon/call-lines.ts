import type { AppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import type { OperationContext } from '../operation.ts';

/** What a command asks the daemon to do, one line of JSON. */
export interface CallLine {
  operation: string;
  input: unknown;
  /** Asks for a stream: outputs as they come, until the command closes the connection. */
  follow?: boolean;
}

/** What the daemon answers, one line of JSON each. The last one is an output, an error or, of a stream, its end. */
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
