/**
 * Imitates an assistant with one background server for all its windows: it runs commands for whoever connects, with
 * the environment of the window that has started it.
 *
 *     shared-server.ts start SOCKET [leave]   starts the server; `leave` ends the process that has started it
 *     shared-server.ts serve SOCKET
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

const [mode = '', path = '', leave] = process.argv.slice(2);

if (mode === 'start') {
  const args = [...process.execArgv, import.meta.filename, 'serve', path];
  spawn(process.execPath, args, { detached: true, stdio: 'ignore' }).unref();
  if (leave === undefined) setInterval(() => {}, 60_000);
} else {
  createServer({ allowHalfOpen: true }, (socket) => void serve(socket)).listen(path);
}

/** A JSON object with the command and its input; the answer is its result. No command ends the server. */
async function serve(socket: Socket): Promise<void> {
  const { command, input, cwd } = JSON.parse(await text(socket)) as { command: string[]; input: string; cwd: string };
  const [program, ...args] = command;
  if (program === undefined) process.exit();
  const child = spawn(program, args, { cwd });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  socket.end(JSON.stringify({ code, stdout, stderr }));
}
