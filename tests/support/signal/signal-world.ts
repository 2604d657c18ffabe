import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breakableProxy } from '../connectors/breakable-proxy.ts';
import type { Where, World } from '../connectors/contract.ts';
import { BOB, createSignalModel, GROUP, type Json, ME, type SignalModel } from './signal-model.ts';
import { startSignalServer } from './signal-server.ts';

/** How the source reaches signal-cli. */
export type Reach = 'program' | 'tcp' | 'http';

export interface SignalWorld extends World {
  model: SignalModel;
}

const PROGRAM = join(import.meta.dirname, 'signal-cli.mjs');

/** A stand-in for signal-cli, behind a connection that can be cut; the source is alice, the peer bob. */
export async function signalWorld(reach: Reach, options: { linked?: boolean } = {}): Promise<SignalWorld> {
  const model = createSignalModel(options);
  const server = await startSignalServer(model);
  const port = { program: server.programPort, tcp: server.tcpPort, http: server.httpPort }[reach];
  const proxy = await breakableProxy(port);
  const folder = mkdtempSync(join(tmpdir(), 'signal-world-'));
  const settings = {
    account: ME.number,
    folder: join(folder, 'spool'),
    ...(reach === 'program'
      ? { program: fakeProgram(folder), data: dataFolder(folder, proxy.port) }
      : { endpoint: `${reach}://127.0.0.1:${proxy.port}` }),
  };
  return {
    kind: 'signal',
    settings,
    model,
    chats: { group: GROUP, direct: BOB.uuid },
    unknownChat: '0c0c0c0c-0000-4000-8000-000000000003',
    peer: peerOf(model),
    cut: proxy.cut,
    down: proxy.down,
    up: proxy.up,
    async close() {
      await proxy.close();
      await server.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A program that runs the stand-in with this Node. */
function fakeProgram(folder: string, script = PROGRAM): string {
  const path = join(folder, 'signal-cli');
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Where the stand-in finds its network. */
function dataFolder(folder: string, port: number): string {
  const path = join(folder, 'data');
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'port'), String(port));
  return path;
}

function peerOf(model: SignalModel): World['peer'] {
  const sender = { id: BOB.uuid, name: BOB.name };

  function content(where: Where, timestamp: number, more: Json): Json {
    const group =
      where === 'group' ? { groupInfo: { groupId: GROUP, groupName: 'Team', revision: 1, type: 'DELIVER' } } : {};
    return { timestamp, message: null, expiresInSeconds: 0, viewOnce: false, ...more, ...group };
  }

  function write(where: Where, more: Json): string {
    const timestamp = model.nextTimestamp();
    model.deliver(model.envelope(BOB, timestamp, { dataMessage: content(where, timestamp, more) }));
    return `${timestamp}-${BOB.uuid}`;
  }

  const stampOf = (id: string) => Number(id.split('-')[0]);
  const target = (id: string) => ({
    targetAuthorUuid: id.slice(id.indexOf('-') + 1),
    targetSentTimestamp: stampOf(id),
  });

  return {
    sender: { group: sender, direct: sender },
    async say(where, message, { replyTo } = {}) {
      if (replyTo === undefined) return write(where, { message });
      const { targetAuthorUuid: authorUuid, targetSentTimestamp: id } = target(replyTo);
      return write(where, { message, quote: { id, authorUuid, text: 'as it was' } });
    },
    async heard(where, text) {
      const { timestamp } = await model.sentWith(text, where === 'group' ? [GROUP] : [BOB.uuid, BOB.number]);
      return `${timestamp}-${ME.uuid}`;
    },
    async edit(where, id, message) {
      const timestamp = model.nextTimestamp();
      const dataMessage = content(where, timestamp, { message });
      model.deliver(model.envelope(BOB, timestamp, { editMessage: { targetSentTimestamp: stampOf(id), dataMessage } }));
    },
    async delete(where, id) {
      write(where, { remoteDelete: { timestamp: stampOf(id) } });
    },
    async react(where, id, emoji) {
      write(where, { reaction: { emoji, ...target(id), isRemove: false } });
    },
    async unreact(where, id, emoji) {
      write(where, { reaction: { emoji, ...target(id), isRemove: true } });
    },
    async attach(where, filename, bytes) {
      const id = `${model.nextTimestamp()}.txt`;
      model.attachments.set(id, Buffer.from(bytes));
      return write(where, { attachments: [{ contentType: 'text/plain', filename, id, size: bytes.length }] });
    },
    async sayUnknown(where) {
      write(where, { hologram: { size: 3 } });
    },
  };
}
