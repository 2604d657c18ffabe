import type { Json, JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';
import { asObject, isQuestion } from './protocol.ts';
import { UpstreamFailure, type UpstreamListener, type UpstreamRequestOptions } from './upstream.ts';

const MAX_QUESTIONS = 32;

/** Answers all questions of an `input_required` result. Returns what the repeated request needs besides its parameters. */
export async function answerInputRequests(
  result: JsonObject,
  options: UpstreamRequestOptions,
  listener: UpstreamListener,
): Promise<JsonObject> {
  const questions = Object.entries(asObject(result.inputRequests));
  if (questions.length > MAX_QUESTIONS) throw new UpstreamFailure('protocol', 'The server asks too many questions.');
  const answered = await Promise.all(
    questions.map(async ([key, question]) => [key, await answer(question, options, listener)] as const),
  );
  if (options.signal.aborted) throw new UpstreamFailure('cancelled', 'The request was cancelled.');
  return {
    // Not by assignment: a key may be `__proto__`.
    inputResponses: Object.fromEntries(answered),
    ...(result.requestState === undefined ? {} : { requestState: result.requestState }),
  };
}

async function answer(question: Json, options: UpstreamRequestOptions, listener: UpstreamListener) {
  if (!isRecord(question) || typeof question.method !== 'string' || !isQuestion(question.method)) {
    throw new UpstreamFailure('protocol', 'The server asks for something that the protocol does not have.');
  }
  const params = asObject(question.params);
  try {
    if (options.onQuestion) return await options.onQuestion(question.method, params, options.signal);
    return await listener.onQuestion(question.method, params, options.signal);
  } catch (thrown) {
    if (thrown instanceof UpstreamFailure) throw thrown;
    throw new UpstreamFailure('cancelled', 'A question of the server was not answered.', { cause: thrown });
  }
}
