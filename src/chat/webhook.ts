import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import type { Posted } from '../operation.ts';

/** What senders of a webhook source sign with. */
export interface Webhooks {
  /** Undefined where anybody who may call may also post. */
  secretOf(source: string): Promise<string | undefined>;
}

const HEADER = 'x-switchboard-signature';
/** All of it: decoding hexadecimal digits ends at the first that is none, without complaint. */
const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i;

/** Refuses what was not signed with the source's secret: the HMAC-SHA256 of the body, in hexadecimal digits. */
export function checkSignature({ body, header }: Posted, secret: string): void {
  // What is signed with nothing could be signed by anybody.
  if (secret === '') {
    throw new AppError(
      'UNAUTHENTICATED',
      'The secret of this source is empty, so that nothing can be signed with it.',
      {
        hint: 'Give the source a secret, or take the setting out to let everybody post who may call.',
      },
    );
  }
  const expected = createHmac('sha256', secret).update(body).digest();
  const [, digits = ''] = SIGNATURE.exec(header(HEADER) ?? '') ?? [];
  const given = Buffer.from(digits, 'hex');
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new AppError('UNAUTHENTICATED', `The body is not signed with the secret of this source (${HEADER}).`, {
    hint: 'Send the HMAC-SHA256 of the body with the source’s secret as its key, in hexadecimal digits.',
  });
}
