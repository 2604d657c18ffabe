import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

const HEADER = `<?xml version="1.0"?><stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams" from="localhost" version="1.0">`;
const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';

/** The responses of a server; missing ones are the regular responses. */
export interface Script {
  /** Stream features before authentication. */
  features?: string;
  onAuth?: string;
  onBind?(id: string): string;
  /** For any IQ after binding. Undefined for no response. */
  onQuestion?(iq: string, id: string): string | undefined;
  /** For any received text, complete or partial. */
  onText?(text: string, write: (answer: string) => void, socket: Socket): void;
  /** Replaces all of the above. */
  onConnection?(socket: Socket): void;
}

/** A server that follows a script. It is closed when the test ends. */
export async function scriptedXmpp(context: TestContext, script: Script) {
  const sockets = new Set<Socket>();
  const heard: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    if (script.onConnection) return script.onConnection(socket);
    serve(socket, script, heard);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard, sockets };
}

function serve(socket: Socket, script: Script, heard: string[]): void {
  let isSignedIn = false;
  const write = (text: string) => void socket.write(text);
  socket.setEncoding('utf8').on('data', (chunk: unknown) => {
    const text = String(chunk);
    heard.push(text);
    script.onText?.(text, write, socket);
    if (text.includes('<stream:stream')) {
      const offered = isSignedIn ? '<bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/>' : (script.features ?? PLAIN);
      write(`${HEADER}<stream:features>${offered}</stream:features>`);
    }
    if (text.includes('<auth')) {
      isSignedIn = true;
      write(script.onAuth ?? `<success xmlns="${SASL}"/>`);
    }
    for (const [iq, id = ''] of text.matchAll(/<iq[^>]* id="([^"]*)"[\s\S]*?<\/iq>/g)) {
      const answer = iq.includes('<bind') ? (script.onBind ?? bound)(id) : (script.onQuestion ?? done)(iq, id);
      if (answer !== undefined) write(answer);
    }
  });
}

const PLAIN = `<mechanisms xmlns="${SASL}"><mechanism>PLAIN</mechanism></mechanisms>`;

function bound(id: string): string {
  return `<iq type="result" id="${id}"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"><jid>alice@localhost/x</jid></bind></iq>`;
}

function done(_: string, id: string): string {
  return `<iq type="result" id="${id}"/>`;
}
