// HEALTHCHECK of the image. A container that listens must respond; one that uses stdio has a client that detects failures,
// so only its home is checked.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';

const commandLine = '/proc/1/cmdline';
const args = existsSync(commandLine) ? readFileSync(commandLine, 'utf8').split('\0') : [];
const port = optionOf('--port') ?? (args.includes('serve') ? '3000' : undefined);

try {
  accessSync(process.env.SWITCHBOARD_HOME ?? '.', constants.W_OK);
  if (port !== undefined) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4_000) });
    if (!answer.ok) throw new Error(`/healthz answered ${answer.status}`);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function optionOf(name) {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  return at < 0 ? undefined : args[at].includes('=') ? args[at].slice(name.length + 1) : args[at + 1];
}
