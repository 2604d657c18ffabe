import { lstatSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { daemonAddress, isPrivateFolder } from '../lib/daemon-address.ts';
import type { Hello, HelloReply } from '../lib/daemon-hello.ts';

export interface DaemonAttachment {
  socket: Socket;
  reply: HelloReply;
}

/** A daemon that takes longer than this to reply to the hello has failed. */
const HELLO_MS = 10_000;

/** Says hello to the daemon of a home. Undefined if none is listening. */
export async function attach(home: string, hello: Hello): Promise<DaemonAttachment | undefined> {
  const path = daemonAddress(home);
  if (!isOurs(path)) return undefined;
  const socket = connect({ path, allowHalfOpen: true });
  try {
    const reply = await greet(socket, hello);
    return { socket, reply };
  } catch {
    socket.destroy();
    return undefined;
  }
}

/** Whether a daemon answers, without staying. */
export async function isDaemonThere(home: string, hello: Hello): Promise<boolean> {
  return (await askStatus(home, hello)) !== undefined;
}

/** The daemon's reply. */
export async function askStatus(home: string, hello: Hello): Promise<HelloReply | undefined> {
  const asked = await attach(home, { ...hello, door: 'status' });
  asked?.socket.destroy();
  return asked?.reply;
}

/** Asks the daemon to exit or to hand over; resolves when it has, with the refusal if it does not. */
export async function askToLeave(home: string, hello: Hello): Promise<HelloReply | undefined> {
  const asked = await attach(home, hello);
  if (!asked) return undefined;
  const { socket, reply } = asked;
  if (reply.error) {
    socket.destroy();
    return reply;
  }
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.once('end', () => socket.end()).resume();
  if (!socket.destroyed) await gone;
  return reply;
}

function greet(socket: Socket, hello: Hello): Promise<HelloReply> {
  const { promise, resolve, reject } = Promise.withResolvers<HelloReply>();
  const parts: Buffer[] = [];
  const onData = (chunk: Buffer) => {
    const end = chunk.indexOf(0x0a);
    parts.push(end === -1 ? chunk : chunk.subarray(0, end));
    if (end === -1) return;
    // The bytes after the reply are for the client.
    socket.pause().off('data', onData);
    const rest = chunk.subarray(end + 1);
    if (rest.length > 0) socket.unshift(rest);
    try {
      resolve(JSON.parse(Buffer.concat(parts).toString('utf8')) as HelloReply);
    } catch (error) {
      reject(error);
    }
  };
  const onGone = () => reject(new Error('the daemon went away'));
  socket.on('data', onData).once('error', reject).once('end', onGone).once('close', onGone);
  socket.setTimeout(HELLO_MS, onGone);
  socket.write(`${JSON.stringify(hello)}\n`);
  return promise.finally(() => {
    socket.off('error', reject).off('end', onGone).off('close', onGone).setTimeout(0).removeAllListeners('timeout');
    socket.on('error', () => {});
  });
}

/** Nothing is sent to a socket of another user, nor to one in a folder where another user could replace it. */
function isOurs(path: string): boolean {
  const user = process.getuid?.();
  try {
    const found = lstatSync(path);
    return found.isSocket() && (user === undefined || found.uid === user) && isPrivateFolder(dirname(path));
  } catch {
    return false;
  }
}
