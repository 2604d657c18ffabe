import { createCipheriv, createHash, createHmac, pbkdf2, randomBytes, randomFillSync } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateSync, gunzipSync } from 'node:zlib';
import type { ICorePlatform } from '@mtcute/core';
import { factorizePQSync, type ICryptoProvider } from '@mtcute/core/utils.js';
import { ige256Decrypt, ige256Encrypt, initSync } from '@mtcute/wasm';
import type { Log } from '../../lib/log.ts';
import { wasmModule } from './wasm-module.ts';

/** An answer that unpacks to more than this is not from Telegram. */
const MAX_UNPACKED = 64 * 1024 * 1024;
const LEVEL_WARN = 2;

/** Cryptography for the library, as its package for Node does it; that package needs a compiler at installation. */
export function createCrypto(): ICryptoProvider {
  const hash = (algorithm: string) => (data: Uint8Array) => createHash(algorithm).update(data).digest();
  const crypto: ICryptoProvider = {
    initialize: async () => initSync(await wasmModule()),
    sha1: hash('sha1'),
    sha256: hash('sha256'),
    hmacSha256: (data, key) => createHmac('sha256', key).update(data).digest(),
    pbkdf2: (password, salt, iterations, length = 64, algorithm = 'sha512') =>
      promisify(pbkdf2)(password, salt, iterations, length, algorithm),
    createAesCtr(key, iv) {
      const cipher = createCipheriv(`aes-${key.length * 8}-ctr`, key, iv);
      return { process: (data) => cipher.update(data) };
    },
    createAesIge: (key, iv) => ({
      encrypt: (data) => ige256Encrypt(data, key, iv),
      decrypt: (data) => ige256Decrypt(data, key, iv),
    }),
    factorizePQ: (pq) => factorizePQSync(crypto, pq),
    gzip: (data, maxSize) => packed(data, maxSize),
    gunzip: (data) => gunzipSync(data, { maxOutputLength: MAX_UNPACKED }),
    randomFill: (bytes) => void randomFillSync(bytes),
    randomBytes: (size) => randomBytes(size),
  };
  return crypto;
}

function packed(data: Uint8Array, maxSize: number): Uint8Array | null {
  try {
    return deflateSync(data, { maxOutputLength: maxSize });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}

/** What the library wants to know of the machine it runs on. Its log lines may contain texts of messages. */
export function createPlatform(log: Log): ICorePlatform {
  return {
    beforeExit: () => () => {},
    log(_color, level, tag, format) {
      if (level <= LEVEL_WARN) log.debug({ tag, format }, 'the Telegram library reports a problem');
    },
    getDefaultLogLevel: () => LEVEL_WARN,
    getDeviceModel: () => 'Switchboard',
  };
}
