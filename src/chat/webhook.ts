import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import type { Posted } from '../operation.ts';

/** Secrets of webhook sources. */
export interface Webhooks {
  /** Undefined if posts need no signature. */
  secretOf(source: string): Promise<string | undefined>;
}

/** What a valid signature covers. */
export interface Signed {
  /** The sender's id of this post, which is the same when the sender retries. */
  post?: string;
}

const HEADER = 'x-switchboard-signature';
/** Checked as a whole: `Buffer.from` stops at the first character that is no hexadecimal digit, without an error. */
const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i;

/** Headers of https://www.standardwebhooks.com, whose signatures also cover the id and the timestamp of the post. */
const STANDARD = { id: 'webhook-id', at: 'webhook-timestamp', signature: 'webhook-signature' } as const;
const STANDARD_SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;
const STANDARD_SECRET = 'whsec_';
/** For clock differences and slow networks. */
const TOLERANCE_MS = 5 * 60_000;

/** Refuses a post that is not signed with the source's secret. */
export function checkSignature(posted: Posted, secret: string, now: number): Signed {
  // Any sender could sign with an empty key.
  if (keyOf(secret).length === 0) {
    throw new AppError(
      'UNAUTHENTICATED',
      'The secret of this source is empty, so that nothing can be signed with it.',
      {
        hint: 'Give the source a secret, or remove the setting to accept posts without a signature.',
      },
    );
  }
  if (posted.header(STANDARD.signature) !== undefined) return checkStandard(posted, secret, now);
  checkBody(posted, secret);
  return {};
}

/** The HMAC-SHA256 of the body, in hexadecimal digits. */
function checkBody({ body, header }: Posted, secret: string): void {
  const expected = createHmac('sha256', secret).update(body).digest();
  const [, digits = ''] = SIGNATURE.exec(header(HEADER) ?? '') ?? [];
  if (isSame(Buffer.from(digits, 'hex'), expected)) return;
  throw new AppError('UNAUTHENTICATED', `The body is not signed with the secret of this source (${HEADER}).`, {
    hint: 'Send the HMAC-SHA256 of the body with the source’s secret as its key, in hexadecimal digits.',
  });
}

/** The HMAC-SHA256 of `id.timestamp.body` in base64. Several signatures may be sent while a secret is replaced: one must be valid. */
function checkStandard({ body, header }: Posted, secret: string, now: number): Required<Signed> {
  const [post = '', timestamp = ''] = [header(STANDARD.id), header(STANDARD.at)];
  if (!/^[\x21-\x7e]{1,256}$/.test(post) || !/^\d{1,12}$/.test(timestamp)) {
    throw new AppError('UNAUTHENTICATED', `The post has no ${STANDARD.id}, or no ${STANDARD.at} in whole seconds.`);
  }
  const expected = createHmac('sha256', keyOf(secret)).update(`${post}.${timestamp}.`).update(body).digest();
  const given = (header(STANDARD.signature) ?? '').split(' ').map((each) => STANDARD_SIGNATURE.exec(each)?.[1] ?? '');
  if (!given.some((each) => isSame(Buffer.from(each, 'base64'), expected))) {
    throw new AppError(
      'UNAUTHENTICATED',
      `The post is not signed with the secret of this source (${STANDARD.signature}).`,
      {
        hint: `Send v1, a comma, and the HMAC-SHA256 of ${STANDARD.id}, ${STANDARD.at} and the body, with dots between them, in base64.`,
      },
    );
  }
  if (Math.abs(now - Number(timestamp) * 1_000) > TOLERANCE_MS) {
    throw new AppError('UNAUTHENTICATED', `The post was signed too long ago, or in the future (${STANDARD.at}).`, {
      hint: 'Sign each attempt again, and check the clocks of both machines.',
    });
  }
  return { post };
}

/** Secrets of that standard are base64 behind a prefix; any other is used as text. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(STANDARD_SECRET)
    ? Buffer.from(secret.slice(STANDARD_SECRET.length), 'base64')
    : Buffer.from(secret);
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
