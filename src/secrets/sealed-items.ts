import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { AppError } from '../domain/errors.ts';
import { isRecord } from '../lib/is-record.ts';
import { type Group, isSecretName } from './names.ts';
import type { Derivation } from './passphrase.ts';

/** A master key with an id that identifies it and reveals nothing about it. */
export interface MasterKey {
  id: string;
  key: KeyObject;
  derivation?: Derivation;
}

/** Newest last: it encrypts, all of them decrypt. Two only during a rotation. */
export type KeyRing = readonly MasterKey[];

/** One secret as stored in the file of its group. All fields but `updated` and `key` are base64. */
export interface SealedItem {
  key: string;
  iv: string;
  ct: string;
  tag: string;
  updated: string;
}

export type SealedItems = Map<string, SealedItem>;

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function masterKey(bytes: Buffer): MasterKey {
  const id = createHmac('sha256', bytes).update('switchboard: name of a master key').digest('hex').slice(0, 16);
  return { id, key: createSecretKey(bytes) };
}

export function seal({ id, key }: MasterKey, group: Group, name: string, value: string, updated: string): SealedItem {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(
    additionalData(group, name),
  );
  const ct = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  const [ivText, ctText, tag] = [iv, ct, cipher.getAuthTag()].map((bytes) => bytes.toString('base64'));
  return { key: id, iv: ivText ?? '', ct: ctText ?? '', tag: tag ?? '', updated };
}

/** Returns the value. Throws an error that names the file if any byte was changed. */
export function unseal({ key }: MasterKey, group: Group, name: string, item: SealedItem, file: string): string {
  try {
    const [iv, ct, tag] = [item.iv, item.ct, item.tag].map((text) => Buffer.from(text, 'base64'));
    if (!iv || !ct || !tag) throw new Error('incomplete');
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(additionalData(group, name)).setAuthTag(tag);
    return Buffer.concat([decipher.update(ct), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new AppError('SERVICE_UNAVAILABLE', `The secret ${name} in ${file} was modified or is damaged.`, {
      cause,
      hint: 'Set it again, or restore the file from a backup.',
    });
  }
}

/** Binds a value to its group and name, so that it cannot be moved to another one. */
function additionalData(group: Group, name: string): Buffer {
  return Buffer.from(JSON.stringify([VERSION, group, name]));
}

export function parseItems(bytes: Buffer, file: string): SealedItems {
  const content = parseJson(bytes);
  if (isRecord(content) && typeof content.v === 'number' && content.v > VERSION) {
    throw new AppError('SERVICE_UNAVAILABLE', `${file} was written by a newer version of Switchboard.`);
  }
  if (!isRecord(content) || content.v !== VERSION || !isRecord(content.items)) throw damaged(file);
  const items = Object.entries(content.items);
  if (!items.every(isItemEntry)) throw damaged(file);
  return new Map(items);
}

export function itemsAsText(items: SealedItems): string {
  return `${JSON.stringify({ v: VERSION, items: Object.fromEntries(items) }, undefined, 1)}\n`;
}

export function damaged(file: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `${file} is damaged.`, {
    hint: 'Restore it from a backup, or move it away and set its secrets again.',
  });
}

export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function isItemEntry(entry: [string, unknown]): entry is [string, SealedItem] {
  const [name, item] = entry;
  return (
    isSecretName(name) &&
    isRecord(item) &&
    typeof item.key === 'string' &&
    isBase64(item.iv, IV_BYTES) &&
    isBase64(item.tag, TAG_BYTES) &&
    isBase64(item.ct) &&
    typeof item.updated === 'string' &&
    !Number.isNaN(Date.parse(item.updated))
  );
}

function isBase64(text: unknown, length?: number): boolean {
  if (typeof text !== 'string') return false;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text && (length === undefined || bytes.length === length);
}
