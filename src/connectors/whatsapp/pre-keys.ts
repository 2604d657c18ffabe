import type { BinaryNode, WASocket } from 'baileys';
import type { Library } from './library.ts';

const WANTED = 100;
const FEWEST = 5;

/**
 * Uploads one-time keys if the server has few, so that others can begin conversations with this device. The library would do it
 * too, but leaves a timer behind that keeps the process from ending.
 */
export async function provideOneTimeKeys(library: Library, sock: WASocket): Promise<void> {
  const { creds, keys } = sock.authState;
  const question = { tag: 'count', attrs: {} };
  const answer: BinaryNode = await sock.query(encryptionQuery('get', [question]));
  if (Number(library.getBinaryNodeChild(answer, 'count')?.attrs.value) > FEWEST) return;
  const upload = await keys.transaction(async () => {
    const { update, node } = await library.getNextPreKeysNode({ creds, keys }, WANTED);
    // Numbers that are in use are not given again, even if the upload fails.
    sock.ev.emit('creds.update', update);
    return node;
  }, 'one-time keys');
  await sock.query(upload);
}

function encryptionQuery(type: string, content: BinaryNode[]): BinaryNode {
  return { tag: 'iq', attrs: { xmlns: 'encrypt', type, to: 's.whatsapp.net' }, content };
}
