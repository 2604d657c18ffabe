import { createHmac } from 'node:crypto';
import { type BinaryNode, Curve, proto } from 'baileys';
import { bytesOf, child, children, node, numberOf } from './nodes.ts';
import type { KeyBundle } from './phone.ts';

/** The device that a user linked: what the server knows of it. */
export interface LinkedDevice {
  noiseKey: Buffer;
  registrationId: number;
  identity: Buffer;
  signed: KeyBundle['signed'];
  oneTime: Array<{ keyId: number; key: Uint8Array }>;
}

const ACCOUNT_PREFIX = Buffer.from([6, 0]);

/** The device of a client that wants to be linked. */
export function deviceOf({ devicePairingData: data }: proto.ClientPayload, noiseKey: Buffer): LinkedDevice {
  const number = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).readUIntBE(0, bytes?.length ?? 0);
  return {
    noiseKey,
    registrationId: number(data?.eRegid),
    identity: Buffer.from(data?.eIdent ?? []),
    signed: {
      keyId: number(data?.eSkeyId),
      key: data?.eSkeyVal ?? new Uint8Array(),
      signature: data?.eSkeySig ?? new Uint8Array(),
    },
    oneTime: [],
  };
}

/** A phone accepts the device: its account signs the identity of the device, in the way that both know the secret for. */
export function pairSuccess(secret: string, { identity }: LinkedDevice, jid: string, lid: string): BinaryNode {
  const account = Curve.generateKeyPair();
  const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: 1, keyIndex: 1 }).finish();
  const accountSignature = Curve.sign(account.private, Buffer.concat([ACCOUNT_PREFIX, details, identity]));
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: account.public,
    accountSignature,
  }).finish();
  const hmac = createHmac('sha256', Buffer.from(secret, 'base64')).update(signed).digest();
  return node('iq', { id: 'pairing', type: 'set', from: 's.whatsapp.net' }, [
    node('pair-success', {}, [
      node('device-identity', {}, proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac }).finish()),
      node('device', { jid, lid }),
      node('platform', { name: 'android' }),
    ]),
  ]);
}

/** The device has uploaded keys. */
export function addKeys(device: LinkedDevice, upload: BinaryNode): void {
  const keys = children(child(upload, 'list') ?? upload).filter(({ tag }) => tag === 'key');
  device.oneTime.push(...keys.map((key) => ({ keyId: numberOf(key, 'id'), key: bytesOf(key, 'value') })));
  const signed = child(upload, 'skey');
  if (!signed) return;
  device.signed = {
    keyId: numberOf(signed, 'id'),
    key: bytesOf(signed, 'value'),
    signature: bytesOf(signed, 'signature'),
  };
}

/** Each one-time key is given away once. */
export function bundleOf({ registrationId, identity, signed, oneTime }: LinkedDevice): KeyBundle {
  const one = oneTime.shift();
  return { registrationId, identity, signed, ...(one ? { oneTime: one } : {}) };
}
