import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import { AppError } from '../../domain/errors.ts';

/** What failed, in our own words; what the API said is for the log. */
export function toApiError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof APIUserAbortError)
    return new AppError('TIMEOUT', 'The request to Claude was cancelled.', { cause: thrown });
  if (thrown instanceof APIConnectionTimeoutError) {
    return new AppError('TIMEOUT', 'Claude did not answer in time.', {
      hint: 'The limit is claude.timeout_ms in the configuration.',
      cause: thrown,
    });
  }
  if (thrown instanceof APIConnectionError) {
    return new AppError('NETWORK_ERROR', 'The Claude API could not be reached.', {
      hint: 'Check the network, and claude.base_url in the configuration.',
      cause: thrown,
    });
  }
  if (thrown instanceof APIError) return byStatus(thrown);
  // A connection that is cut while an answer arrives ends in an error without a status.
  return new AppError('NETWORK_ERROR', 'The connection to the Claude API broke while it answered.', { cause: thrown });
}

function byStatus(error: APIError): AppError {
  const { status, type } = error;
  if (status === 401) {
    return new AppError('SERVICE_UNAVAILABLE', 'The Claude API refuses the API key.', {
      hint: 'Set a valid key: ANTHROPIC_API_KEY, or claude.api_key in the configuration.',
      cause: error,
    });
  }
  if (status === 403) {
    return new AppError('SERVICE_UNAVAILABLE', 'The API key may not do this at the Claude API.', { cause: error });
  }
  if (status === 404) {
    return new AppError('NOT_FOUND', 'The Claude API does not know this model.', {
      field: 'model',
      hint: 'claude_models lists the models.',
      cause: error,
    });
  }
  if (status === 413) {
    // Not TOO_LARGE: it is the history that is too large, and not the request of the caller.
    return new AppError('CONFLICT', 'The conversation is too long for one request to Claude.', {
      hint: 'Start another one, or fork it at an earlier message.',
      cause: error,
    });
  }
  if (status === 429) {
    return new AppError('RATE_LIMITED', `The Claude API allows no more requests now.${waitHint(error)}`, {
      cause: error,
    });
  }
  if (status === 529 || type === 'overloaded_error') {
    return new AppError('BUSY', `The Claude API is overloaded.${waitHint(error)}`, {
      hint: 'Try again later.',
      cause: error,
    });
  }
  if (status === 400) {
    return new AppError('VALIDATION_ERROR', 'The Claude API refuses this request.', {
      hint: 'The log has its reason. A changed model, a shorter text or fewer tools may help.',
      cause: error,
    });
  }
  return new AppError('SERVICE_UNAVAILABLE', 'The Claude API failed.', { hint: 'Try again later.', cause: error });
}

const MAX_WAIT_S = 86_400;

/** The header is the API's: only a number is taken from it. */
function waitHint({ headers }: APIError): string {
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
  return seconds > 0 && seconds <= MAX_WAIT_S ? ` It asks to wait ${Math.ceil(seconds)} s.` : '';
}
