import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import type { Posted } from '../operation.ts';

/** What senders of a webhook source sign with. */
export interface Webhooks {
  /** Undefined where anybody who may call may also post. */
  secretOf(source: string): Promise<string | undefined>;
}

const HEADER = 'x-switchboard-signature';

/** Refuses what was not signed with the source's secret: the HMAC-SHA256 of the body, in hexadecimal digits. */
export function checkSignature({ body, header }: Posted, secret: string): void {
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from((header(HEADER) ?? '').replace(/^sha256=/i, ''), 'hex');
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new AppError('UNAUTHENTICATED', `The body is not signed with the secret of this source (${HEADER}).`, {
    hint: 'Send the HMAC-SHA256 of the body with the source’s secret as its key, in hexadecimal digits.',
  });
}
