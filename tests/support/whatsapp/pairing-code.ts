import { randomBytes } from 'node:crypto';
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  type BinaryNode,
  Curve,
  derivePairingCodeKey,
  hkdf,
} from 'baileys';
import { bytesOf, node } from './nodes.ts';

/** The phone's part of linking by a code that the user types on it. */
export function createCodeLinking() {
  const [ephemeral, identity] = [Curve.generateKeyPair(), Curve.generateKeyPair()];
  let shared: Uint8Array = new Uint8Array();

  return {
    /** The user has typed the code: the phone answers the hello of the device. */
    async answerTo(hello: BinaryNode, code: string): Promise<BinaryNode> {
      const wrapped = bytesOf(hello, 'link_code_pairing_wrapped_companion_ephemeral_pub');
      const key = await derivePairingCodeKey(code, wrapped.subarray(0, 32));
      const theirs = aesDecryptCTR(wrapped.subarray(48), key, wrapped.subarray(32, 48));
      shared = Curve.sharedKey(ephemeral.private, theirs);
      const [salt, iv] = [randomBytes(32), randomBytes(16)];
      const ours = aesEncryptCTR(ephemeral.public, await derivePairingCodeKey(code, salt), iv);
      return node('notification', { id: 'code', type: 'link_code_companion_reg', from: 's.whatsapp.net', t: '1' }, [
        node('link_code_companion_reg', { stage: 'primary_hello' }, [
          node('link_code_pairing_ref', {}, Buffer.from('ref')),
          node('primary_identity_pub', {}, Buffer.from(identity.public)),
          node('link_code_pairing_wrapped_primary_ephemeral_pub', {}, Buffer.concat([salt, iv, ours])),
        ]),
      ]);
    },
    /** The secret that both sides have derived, with which the phone signs for the device. */
    secretOf(finish: BinaryNode): string {
      const bundle = bytesOf(finish, 'link_code_pairing_wrapped_key_bundle');
      const key = hkdf(shared, 32, {
        salt: bundle.subarray(0, 32),
        info: 'link_code_pairing_key_bundle_encryption_key',
      });
      const plain = aesDecryptGCM(bundle.subarray(44), Buffer.from(key), bundle.subarray(32, 44), Buffer.alloc(0));
      const own = Curve.sharedKey(identity.private, plain.subarray(0, 32));
      const secret = hkdf(Buffer.concat([shared, own, plain.subarray(64)]), 32, { info: 'adv_secret' });
      return Buffer.from(secret).toString('base64');
    },
  };
}
