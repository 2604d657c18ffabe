import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import type { Posted } from '../operation.ts';

/** What senders of a webhook source sign with. */
export interface Webhooks {
  /** Undefined where anybody who may call may also post. */
  secretOf(source: string): Promise<string | undefined>;
}

/** What a signature says besides that it is good. */
export interface Signed {
  /** The sender's id of this post, which is the same when the sender tries again. */
  post?: string;
}

const HEADER = 'x-switchboard-signature';
/** All of it: decoding hexadecimal digits ends at the first that is none, without complaint. */
const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i;

/** Those of https://www.standardwebhooks.com, whose signatures cover the id and the moment of the post, too. */
const STANDARD = { id: 'webhook-id', at: 'webhook-timestamp', signature: 'webhook-signature' } as const;
const STANDARD_SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;
const STANDARD_SECRET = 'whsec_';
/** Clocks differ, and networks are slow. */
const TOLERANCE_MS = 5 * 60_000;

/** Refuses what was not signed with the source's secret. */
export function checkSignature(posted: Posted, secret: string, now: number): Signed {
  // What is signed with nothing could be signed by anybody.
  if (keyOf(secret).length === 0) {
    throw new AppError(
      'UNAUTHENTICATED',
      'The secret of this source is empty, so that nothing can be signed with it.',
      {
        hint: 'Give the source a secret, or take the setting out to let everybody post who may call.',
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

/** The HMAC-SHA256 of `id.moment.body` in base64; of several signatures, for while a secret changes, one must be good. */
function checkStandard({ body, header }: Posted, secret: string, now: number): Required<Signed> {
  const [post = '', moment = ''] = [header(STANDARD.id), header(STANDARD.at)];
  if (!/^[\x21-\x7e]{1,256}$/.test(post) || !/^\d{1,12}$/.test(moment)) {
    throw new AppError('UNAUTHENTICATED', `The post has no ${STANDARD.id}, or no ${STANDARD.at} in whole seconds.`);
  }
  const expected = createHmac('sha256', keyOf(secret)).update(`${post}.${moment}.`).update(body).digest();
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
  if (Math.abs(now - Number(moment) * 1_000) > TOLERANCE_MS) {
    throw new AppError('UNAUTHENTICATED', `The post was signed too long ago, or in the future (${STANDARD.at}).`, {
      hint: 'Sign each attempt anew, and look at the clocks of both machines.',
    });
  }
  return { post };
}

/** Secrets of that standard are bytes in base64 behind a mark; any other is its own text. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(STANDARD_SECRET)
    ? Buffer.from(secret.slice(STANDARD_SECRET.length), 'base64')
    : Buffer.from(secret);
}

function isSame(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
