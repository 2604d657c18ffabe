import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BinaryNode, Curve, type proto } from 'baileys';
import { createDirectory } from './directory.ts';
import { addKeys, bundleOf, deviceOf, type LinkedDevice, pairSuccess } from './linked-device.ts';
import { child, children, node, seconds } from './nodes.ts';
import { openNoiseChannel } from './noise-channel.ts';
import { createCodeLinking } from './pairing-code.ts';
import { acceptWebSocket, type ServerWebSocket } from './websocket.ts';

/** The user's account, and the address of the device that they link. */
export const ME = { pn: '12025550100', lid: '100000000000001' };
export const DEVICE = `${ME.pn}:5@s.whatsapp.net`;
const DEVICE_LID = `${ME.lid}:5@lid`;

/** A message of the linked device, as those who got it could read it. */
export interface HeardMessage {
  id: string;
  /** The group, or the person. */
  to: string;
  by: string;
  text: string;
  replyTo?: string;
}

interface Client {
  socket: ServerWebSocket;
  send(node: BinaryNode): void;
  /** Set while it waits to be linked. */
  pairing?: { refs: readonly string[]; device: LinkedDevice; hello?: BinaryNode };
  isActive: boolean;
}

/**
 * A WhatsApp Web server on the loopback interface, with the real protocol: WebSocket, Noise, binary nodes and Signal
 * sessions. It has one account with one linked device, and keeps messages for it until they are acknowledged.
 */
export async function startWhatsappServer() {
  const root = Curve.generateKeyPair();
  const directory = createDirectory();
  const codeLinking = createCodeLinking();
  const clients = new Set<Client>();
  const waiting: BinaryNode[] = [];
  const heard: HeardMessage[] = [];
  const files = new Map<string, Buffer>();
  const told = new Set<() => void>();
  const counts = { retries: 0, refused: 0, delivered: 0 };
  let device: LinkedDevice | undefined;
  let isDown = false;
  let losesAcks = false;
  let reading: Promise<void> = Promise.resolve();

  const http = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    response.writeHead(file ? 200 : 404).end(file);
  });
  http.on('upgrade', (request, stream) => {
    if (isDown) return void stream.destroy();
    connect(acceptWebSocket(request, stream));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;

  function connect(socket: ServerWebSocket): void {
    const channel = openNoiseChannel({
      socket,
      root,
      onClient: (payload, noiseKey) => greet(client, payload, noiseKey),
      onNode: (received) => take(client, received),
    });
    const client: Client = { socket, send: channel.send, isActive: false };
    clients.add(client);
    socket.onClose(() => void clients.delete(client));
  }

  function greet(client: Client, payload: proto.ClientPayload, noiseKey: Buffer): void {
    if (payload.devicePairingData) return offerCodes(client, deviceOf(payload, noiseKey));
    if (!device?.noiseKey.equals(noiseKey)) {
      client.send(node('failure', { reason: '401', location: 'test' }));
      return client.socket.close();
    }
    for (const other of clients) if (other !== client && !other.pairing) end(other, '440', 'conflict');
    client.send(node('success', { t: seconds(), lid: DEVICE_LID, location: 'test' }));
  }

  function offerCodes(client: Client, wanted: LinkedDevice): void {
    const refs = ['ref-1', 'ref-2', 'ref-3'].map((ref) => `${ref}-${clients.size}-${Math.random()}`);
    client.pairing = { refs, device: wanted };
    const content = refs.map((ref) => node('ref', {}, Buffer.from(ref)));
    client.send(node('iq', { id: 'codes', type: 'set', from: 's.whatsapp.net' }, [node('pair-device', {}, content)]));
  }

  function end({ send, socket }: Client, code: string, reason: string): void {
    send(node('stream:error', { code }, [node(reason)]));
    socket.close();
  }

  function take(client: Client, received: BinaryNode): void {
    if (received.tag === 'iq') return takeQuery(client, received);
    if (received.tag === 'message') reading = reading.then(() => readMessage(client, received));
    if (received.tag === 'receipt') {
      if (received.attrs.type === 'retry') counts.retries += 1;
      const more = children(child(received, 'list') ?? node('none')).map(({ attrs }) => attrs.id);
      forget([received.attrs.id, ...more]);
    }
    if (received.tag === 'ack' && received.attrs.class === 'message') {
      if (received.attrs.error) counts.refused += 1;
      forget([received.attrs.id]);
    }
  }

  function forget(ids: readonly (string | undefined)[]): void {
    for (const id of ids) {
      const index = waiting.findIndex(({ attrs }) => attrs.id === id);
      if (index >= 0) waiting.splice(index, 1);
    }
    tell();
  }

  function takeQuery(client: Client, query: BinaryNode): void {
    const { id = '', type, xmlns } = query.attrs;
    if (type === 'result' && client.pairing && child(query, 'pair-device-sign')) {
      device = client.pairing.device;
      return end(client, '515', 'restart');
    }
    if (type !== 'get' && type !== 'set') return;
    const registration = child(query, 'link_code_companion_reg');
    if (client.pairing && registration) linkByCode(client, client.pairing, registration);
    const reply = (content?: BinaryNode[], kind = 'result') =>
      client.send(node('iq', { id, type: kind, from: query.attrs.to ?? 's.whatsapp.net' }, content));
    if (xmlns === 'passive' && child(query, 'active')) {
      reply();
      return deliverWaiting(client);
    }
    if (xmlns === 'md' && child(query, 'remove-companion-device')) device = undefined;
    if (xmlns === 'encrypt' && type === 'set' && device) addKeys(device, query);
    if (xmlns === 'encrypt' && child(query, 'count')) {
      return reply([node('count', { value: String(device?.oneTime.length ?? 0) })]);
    }
    if (xmlns === 'encrypt' && child(query, 'digest')) return reply([node('digest')]);
    if (xmlns === 'w:sync:app:state') return reply([noChanges(query)]);
    const answer = directory.answer(query);
    if (answer === 'unknown') return reply([node('error', { code: '404', text: 'item-not-found' })], 'error');
    reply(answer);
  }

  function linkByCode(client: Client, pairing: NonNullable<Client['pairing']>, registration: BinaryNode): void {
    if (registration.attrs.stage === 'companion_hello') {
      pairing.hello = registration;
      tell();
    } else client.send(pairSuccess(codeLinking.secretOf(registration), pairing.device, DEVICE, DEVICE_LID));
  }

  function deliverWaiting(client: Client): void {
    client.isActive = true;
    counts.delivered += waiting.length;
    for (const [index, message] of waiting.entries()) {
      client.send({ ...message, attrs: { ...message.attrs, offline: String(index) } });
    }
    client.send(node('ib', {}, [node('offline', { count: String(waiting.length) })]));
    tell();
  }

  async function readMessage(client: Client, { attrs: { id = '', to = '' }, content }: BinaryNode): Promise<void> {
    const parts = Array.isArray(content) ? content : [];
    const shared = parts.filter(({ tag }) => tag === 'enc');
    const addressed = children(parts.find(({ tag }) => tag === 'participants') ?? node('none'));
    const group = directory.groups.find((each) => each.id === to);
    const readers = group ? group.members : addressed.flatMap(({ attrs }) => directory.find(attrs.jid) ?? []);
    for (const person of readers.filter(({ pn }) => pn !== ME.pn)) {
      const own = addressed.filter(({ attrs }) => directory.find(attrs.jid) === person).flatMap(children);
      const message = await person.phone.read(DEVICE, to, [...own, ...shared]);
      const said = message.extendedTextMessage;
      const replyTo = said?.contextInfo?.stanzaId;
      const where = group ? to : `${person.pn}@s.whatsapp.net`;
      // Clients show a repeated message once.
      if (heard.some((each) => each.id === id && each.by === person.pn)) continue;
      heard.push({
        id,
        to: where,
        by: person.pn,
        text: said?.text ?? message.conversation ?? '',
        ...(replyTo ? { replyTo } : {}),
      });
    }
    tell();
    if (losesAcks) return client.socket.destroy();
    client.send(node('ack', { class: 'message', id, from: to, t: seconds() }));
  }

  function tell(): void {
    for (const each of told) each();
  }

  /** Resolves when the condition is true; it is checked whenever something happens. */
  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      told.add(resolve);
      await promise;
      told.delete(resolve);
    }
  }

  return {
    settings: {
      endpoint: `ws://127.0.0.1:${port}`,
      root_key: Buffer.from(root.public).toString('hex'),
    },
    directory,
    heard: heard as readonly HeardMessage[],
    files,
    counts,
    waiting: () => waiting.length,
    isLinked: () => device !== undefined,
    bundle: () => {
      if (!device) throw new Error('no device is linked');
      return bundleOf(device);
    },
    until,
    /** A phone of the account scans this code. */
    scan(qr: string): void {
      const [ref = '', , , secret = ''] = qr.slice(qr.indexOf('#') + 1).split(',');
      const client = [...clients].find(({ pairing }) => pairing?.refs.includes(ref));
      if (!client?.pairing) throw new Error('the code is not known');
      client.send(pairSuccess(secret, client.pairing.device, DEVICE, DEVICE_LID));
    },
    /** The user types this code on the phone. */
    async enterCode(code: string): Promise<void> {
      const waiting = () => [...clients].find(({ pairing }) => pairing?.hello !== undefined);
      await until(() => waiting() !== undefined);
      const { pairing, send } = waiting() ?? {};
      if (pairing?.hello) send?.(await codeLinking.answerTo(pairing.hello, code));
    },
    /** Keeps a message for the linked device, and delivers it if it is connected. */
    deliver(message: BinaryNode): void {
      waiting.push(message);
      for (const client of clients) {
        if (!client.isActive) continue;
        counts.delivered += 1;
        client.send(message);
      }
    },
    unlink(): void {
      device = undefined;
      for (const client of clients) end(client, '401', 'conflict');
    },
    endAll(code: string): void {
      for (const client of clients) end(client, code, 'conflict');
    },
    loseAcks(isLost: boolean): void {
      losesAcks = isLost;
    },
    cut(): void {
      for (const { socket } of clients) socket.destroy();
    },
    down(): void {
      isDown = true;
      for (const { socket } of clients) socket.destroy();
    },
    up(): void {
      isDown = false;
    },
    async close(): Promise<void> {
      for (const { socket } of clients) socket.destroy();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

export type WhatsappServer = Awaited<ReturnType<typeof startWhatsappServer>>;

function noChanges(query: BinaryNode): BinaryNode {
  const collections = children(child(query, 'sync') ?? query).map(({ attrs }) =>
    node('collection', { name: attrs.name ?? '', version: attrs.version ?? '0' }),
  );
  return node('sync', {}, collections);
}
