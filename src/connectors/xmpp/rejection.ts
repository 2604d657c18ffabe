import { rejected } from '../outcome-error.ts';
import { StreamError } from './wire.ts';

/** The reason for the user, if a retry is useless until a setting changes. */
export function asRefusal(error: unknown): unknown {
  if (error instanceof StreamError && error.condition === 'host-unknown') {
    return rejected('The server is not the one of this address: set `service` to where it is.', { cause: error });
  }
  return error;
}
