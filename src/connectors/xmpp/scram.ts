import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);
/** Servers use 4,096 to about 100,000 iterations; more is refused as a denial of service. */
const MAX_ITERATIONS = 5_000_000;
/** No channel binding: TLS in Node does not provide what is needed on all versions. */
const NO_BINDING = 'n,,';

export interface Scram {
  first: string;
  /** Answers the server's challenge. The key is derived outside the event loop. */
  answer(challenge: string): Promise<string>;
  /** Verifies that the server has the password too. */
  proves(final: string): boolean;
}

/** RFC 5802: proves knowledge of the password without sending it. */
export function createScram(
  hash: 'sha256' | 'sha1',
  { user, password, nonce = randomBytes(18).toString('base64') }: { user: string; password: string; nonce?: string },
): Scram {
  const bare = `n=${escapeName(user)},r=${nonce}`;
  let expected: Buffer | undefined;
  const mac = (key: Buffer, text: string) => createHmac(hash, key).update(text).digest();

  return {
    first: NO_BINDING + bare,
    async answer(challenge) {
      const { r: serverNonce = '', s: salt = '', i = '' } = fieldsOf(challenge);
      const iterations = /^\d{1,7}$/.test(i) ? Number(i) : 0;
      if (!serverNonce.startsWith(nonce) || serverNonce.length === nonce.length || salt === '') throw unusable();
      if (iterations < 1 || iterations > MAX_ITERATIONS) throw unusable();
      const length = createHash(hash).digest().length;
      const salted = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64'), iterations, length, hash);
      const clientKey = mac(salted, 'Client Key');
      const ending = `c=${Buffer.from(NO_BINDING).toString('base64')},r=${serverNonce}`;
      const whole = `${bare},${challenge},${ending}`;
      const signature = mac(createHash(hash).update(clientKey).digest(), whole);
      expected = mac(mac(salted, 'Server Key'), whole);
      return `${ending},p=${xor(clientKey, signature).toString('base64')}`;
    },
    proves(final) {
      const given = Buffer.from(fieldsOf(final).v ?? '', 'base64');
      return expected !== undefined && given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

function fieldsOf(message: string): Record<string, string | undefined> {
  return Object.fromEntries(message.split(',').map((field) => [field.slice(0, 1), field.slice(2)]));
}

function escapeName(name: string): string {
  return name.normalize('NFKC').replaceAll('=', '=3D').replaceAll(',', '=2C');
}

function xor(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
}

function unusable(): Error {
  return new Error('the server’s challenge makes no sense');
}
