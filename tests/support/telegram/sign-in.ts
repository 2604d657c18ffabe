import { createHash, randomBytes } from 'node:crypto';
import { Long, type tl } from '@mtcute/core';
import { computePasswordHash, type ICryptoProvider } from '@mtcute/core/utils.js';
import { DH_PRIME, fromBytes, power, toBytes } from './handshake.ts';
import { ME, type Model, now } from './model.ts';
import { type Caller, RpcFailure } from './mtproto-server.ts';

type Handlers = { [Method in tl.RpcMethod as Method['_']]?: (request: Method, caller: Caller) => unknown };

export const PHONE = '+15550100';
export const CODE = '12345';

interface SignInOptions {
  crypto: ICryptoProvider;
  /** The second factor of the account, if it has one. */
  password?: string;
}

/** The requests of signing in: by code, password and QR code. */
export function createSignIn({ users }: Pick<Model, 'users'>, { crypto, password }: SignInOptions) {
  const srp = createSrp(crypto, password ?? '');
  const scanned = new Set<string>();
  let waiting: Caller | undefined;

  function authorization(caller: Caller): tl.auth.TypeAuthorization {
    caller.auth.isSignedIn = true;
    const user = users.find(({ id }) => id === ME) as tl.TypeUser;
    return { _: 'auth.authorization', user };
  }

  function firstFactor(caller: Caller): tl.auth.TypeAuthorization {
    if (password !== undefined) throw new RpcFailure(401, 'SESSION_PASSWORD_NEEDED');
    return authorization(caller);
  }

  const handlers: Handlers = {
    'auth.sendCode': ({ phoneNumber }) => {
      if (phoneNumber !== PHONE) throw new RpcFailure(400, 'PHONE_NUMBER_INVALID');
      return { _: 'auth.sentCode', type: { _: 'auth.sentCodeTypeApp', length: 5 }, phoneCodeHash: 'hash' };
    },
    'auth.signIn': ({ phoneCode, phoneCodeHash }, caller) => {
      if (phoneCodeHash !== 'hash') throw new RpcFailure(400, 'PHONE_CODE_EXPIRED');
      if (phoneCode !== CODE) throw new RpcFailure(400, 'PHONE_CODE_INVALID');
      return firstFactor(caller);
    },
    'account.getPassword': () => srp.request(),
    'auth.checkPassword': async ({ password: proof }, caller) => {
      if (!(await srp.isRight(proof))) throw new RpcFailure(400, 'PASSWORD_HASH_INVALID');
      return authorization(caller);
    },
    'auth.exportLoginToken': (_, caller) => {
      waiting = caller;
      const key = caller.auth.key.toString('hex');
      if (scanned.has(key)) {
        return { _: 'auth.loginTokenSuccess', authorization: firstFactor(caller) };
      }
      return { _: 'auth.loginToken', expires: now() + 30, token: randomBytes(16) };
    },
    'auth.logOut': (_, caller) => {
      caller.auth.isSignedIn = false;
      return { _: 'auth.loggedOut' };
    },
  };

  return {
    handlers,
    /** The user scans the code that was shown last. */
    scan(): void {
      if (!waiting) throw new Error('no code was asked for');
      scanned.add(waiting.auth.key.toString('hex'));
      waiting.push({ _: 'updateShort', update: { _: 'updateLoginToken' }, date: now() });
    },
  };
}

/** The server's part of SRP, as the documentation of the protocol has it. */
function createSrp(crypto: ICryptoProvider, password: string) {
  const [salt1, salt2] = [randomBytes(16), randomBytes(16)];
  const prime = toBytes(DH_PRIME);
  const generator = toBytes(3n);
  const secret = fromBytes(randomBytes(256));
  const hash = (...parts: Uint8Array[]) => {
    const digest = createHash('sha256');
    for (const part of parts) digest.update(part);
    return digest.digest();
  };

  async function verifier(): Promise<bigint> {
    return power(3n, fromBytes(await computePasswordHash(crypto, Buffer.from(password), salt1, salt2)));
  }

  async function challenge(): Promise<Buffer> {
    const factor = fromBytes(hash(prime, generator));
    return toBytes((factor * (await verifier()) + power(3n, secret)) % DH_PRIME);
  }

  return {
    async request(): Promise<tl.account.TypePassword> {
      const algorithm = {
        _: 'passwordKdfAlgoSHA256SHA256PBKDF2HMACSHA512iter100000SHA256ModPow',
        salt1,
        salt2,
        g: 3,
        p: prime,
      } as const;
      return {
        _: 'account.password',
        hasPassword: true,
        currentAlgo: algorithm,
        srpB: await challenge(),
        srpId: Long.ONE,
        newAlgo: algorithm,
        newSecureAlgo: { _: 'securePasswordKdfAlgoUnknown' },
        secureRandom: randomBytes(16),
      };
    },
    async isRight(proof: tl.TypeInputCheckPasswordSRP): Promise<boolean> {
      if (proof._ !== 'inputCheckPasswordSRP') return false;
      const shown = await challenge();
      const mixed = fromBytes(hash(proof.A, shown));
      const shared = power(fromBytes(proof.A) * power(await verifier(), mixed), secret);
      const key = hash(toBytes(shared));
      const both = hash(prime).map((byte, index) => byte ^ (hash(generator)[index] ?? 0));
      return hash(both, hash(salt1), hash(salt2), proof.A, shown, key).equals(proof.M1);
    },
  };
}
