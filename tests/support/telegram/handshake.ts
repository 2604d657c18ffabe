import {
  constants,
  createHash,
  generateKeyPairSync,
  type KeyPairKeyObjectResult,
  privateDecrypt,
  randomBytes,
} from 'node:crypto';
import { generateKeyAndIvFromNonce, type ICryptoProvider, parsePublicKey } from '@mtcute/core/utils.js';
import { createCrypto } from '../../../src/connectors/telegram/platform.ts';
import { readerOf, tlBytes, word } from './tl.ts';

const REQ_PQ_MULTI = 0xbe7e8ef1;
const RES_PQ = 0x05162463;
const REQ_DH_PARAMS = 0xd712e4be;
const DH_PARAMS_OK = 0xd0e8075c;
const DH_INNER_DATA = 0xb5890dba;
const SET_CLIENT_DH_PARAMS = 0xf5045f1f;
const DH_GEN_OK = 0x3bcbf734;
const DH_GEN_RETRY = 0x46dc1fb9;

/** The product of two primes, from the documentation of the protocol. */
const PQ = Buffer.from('17ED48941A08F981', 'hex');
/** The prime that Telegram uses. */
export const DH_PRIME = BigInt(
  '0xC71CAEB9C6B1C9048E6C522F70F13F73980D40238E3E21C14934D037563D930F48198A0AA7C14058229493D22530F4DBFA336F6E0AC925139543AED44CCE7C3720FD51F69458705AC68CD4FE6B6B13ABDC9746512969328454F18FAF8C595F642477FE96BB2A941D5BCD1D4AC8CC49880708FA9B378E3C4F3A9060BEE67CF9A4A4A695811051907E162753B56B0F6B410DBA74D8A84B2A14B3144E0EF1284754FD17ED950D5965B4B9DD46582DB1178D169C6BC465B0D6FF9CA3928FEF5B9AE4E418FC15E83EBEA0F87FA9FF5EED70050DED2849F47BF959D956850CE929851F0D8115F635B105EE2E4E15D04B2454BF6F4FADF034B10403119CD8E3B92FCC5B',
);
const G = 3;

/** The RSA key of this process's servers. */
const SERVER_KEY = serverKey();
export const SERVER_KEY_PEM = pemOf(SERVER_KEY);

/** The exchange of a new key over one connection: answers to messages that are not encrypted yet. */
export function createHandshake(crypto: ICryptoProvider, onKey: (key: Buffer) => void) {
  const serverNonce = randomBytes(16);
  const exponent = fromBytes(randomBytes(256));
  let newNonce: Uint8Array = Buffer.alloc(32);

  function answer(message: Uint8Array): Buffer | undefined {
    const reader = readerOf(message);
    const id = reader.uint();
    const nonce = reader.int128();
    if (id === REQ_PQ_MULTI) return resPq(nonce);
    if (reader.int128().some((byte, index) => byte !== serverNonce[index])) return undefined;
    if (id === REQ_DH_PARAMS) {
      reader.bytes();
      reader.bytes();
      reader.long();
      newNonce = newNonceIn(decrypted(reader.bytes()));
      return dhParams(nonce);
    }
    return id === SET_CLIENT_DH_PARAMS ? dhGenOk(nonce, reader.bytes()) : undefined;
  }

  function resPq(nonce: Uint8Array): Buffer {
    const { fingerprint } = parsePublicKey(crypto, SERVER_KEY_PEM);
    const print = Buffer.from(fingerprint.padStart(16, '0'), 'hex').reverse();
    return Buffer.concat([word(RES_PQ), nonce, serverNonce, tlBytes(PQ), word(0x1cb5c415), word(1), print]);
  }

  /** Undoes RSA_PAD. */
  function decrypted(data: Uint8Array): Uint8Array {
    const key = { key: SERVER_KEY.privateKey, padding: constants.RSA_NO_PADDING };
    const plain = privateDecrypt(key, Buffer.from(data));
    const [mixed, encrypted] = [plain.subarray(0, 32), plain.subarray(32)];
    const hash = createHash('sha256').update(encrypted).digest();
    const aesKey = mixed.map((byte, index) => byte ^ (hash[index] ?? 0));
    return crypto.createAesIge(aesKey, Buffer.alloc(32)).decrypt(encrypted).subarray(0, 192).toReversed();
  }

  /** Of `p_q_inner_data_dc`. */
  function newNonceIn(inner: Uint8Array): Uint8Array {
    const reader = readerOf(inner);
    reader.uint();
    for (const _ of ['pq', 'p', 'q']) reader.bytes();
    reader.int128();
    reader.int128();
    return reader.int256();
  }

  function dhParams(nonce: Uint8Array): Buffer {
    const inner = Buffer.concat([
      word(DH_INNER_DATA),
      nonce,
      serverNonce,
      word(G),
      tlBytes(toBytes(DH_PRIME)),
      tlBytes(toBytes(power(BigInt(G), exponent))),
      word(Math.floor(Date.now() / 1000)),
    ]);
    const plain = Buffer.concat([createHash('sha1').update(inner).digest(), inner]);
    const padded = Buffer.concat([plain, randomBytes((16 - (plain.length % 16)) % 16)]);
    return Buffer.concat([word(DH_PARAMS_OK), nonce, serverNonce, tlBytes(cipher().encrypt(padded))]);
  }

  function dhGenOk(nonce: Uint8Array, encrypted: Uint8Array): Buffer {
    const reader = readerOf(cipher().decrypt(encrypted).subarray(20));
    reader.uint();
    reader.int128();
    reader.int128();
    reader.long();
    const key = toBytes(power(fromBytes(reader.bytes()), exponent));
    // The library leaves out leading zeros of a key: it has to choose another one.
    if (key[0] === 0) return dhGen(DH_GEN_RETRY, 2, nonce, key.subarray(key.findIndex((byte) => byte !== 0)));
    onKey(key);
    return dhGen(DH_GEN_OK, 1, nonce, key);
  }

  function dhGen(id: number, number: number, nonce: Uint8Array, key: Buffer): Buffer {
    const aux = createHash('sha1').update(key).digest().subarray(0, 8);
    const hash = createHash('sha1')
      .update(newNonce)
      .update(Buffer.from([number]))
      .update(aux)
      .digest();
    return Buffer.concat([word(id), nonce, serverNonce, hash.subarray(4, 20)]);
  }

  function cipher() {
    const [key, iv] = generateKeyAndIvFromNonce(crypto, serverNonce, newNonce);
    return crypto.createAesIge(key, iv);
  }

  return { answer };
}

/** The library does not find a key whose fingerprint begins with a zero. */
function serverKey(): KeyPairKeyObjectResult {
  for (;;) {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    if (!parsePublicKey(createCrypto(), pemOf(pair)).fingerprint.startsWith('0')) return pair;
  }
}

function pemOf({ publicKey }: KeyPairKeyObjectResult): string {
  return publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

export function fromBytes(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

export function toBytes(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(512, '0'), 'hex');
}

export function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let factor = base % DH_PRIME;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % DH_PRIME;
    factor = (factor * factor) % DH_PRIME;
  }
  return result;
}
