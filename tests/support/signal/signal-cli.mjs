// A stand-in for the program signal-cli: `signal-cli --config FOLDER jsonRpc --receive-mode=manual`. It passes lines on
// between its standard streams and the network whose port is in FOLDER/port. A message is confirmed to the network once
// it is written, and thereby forgotten.
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

const [, folder = ''] = process.argv.slice(process.argv.indexOf('--config'));
const network = connect(Number(readFileSync(join(folder, 'port'), 'utf8')), '127.0.0.1');
// For tests that kill it.
writeFileSync(join(folder, 'pid'), String(process.pid));
let held = '';
let asked = '';

network.setEncoding('utf8').on('data', (chunk) => {
  const lines = (held + chunk).split('\n');
  held = lines.pop() ?? '';
  for (const line of lines) {
    const { number, ...message } = JSON.parse(line);
    write(`${JSON.stringify(message)}\n`);
    if (number !== undefined) network.write(`${JSON.stringify({ confirmed: number })}\n`);
  }
});
network.on('error', (error) => {
  process.stderr.write(`WARN  no network: ${error.message}\n`);
  process.exit(3);
});
network.on('close', () => process.exit(3));

process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (asked + chunk).split('\n');
  asked = lines.pop() ?? '';
  for (const line of lines) network.write(`${line}\n`);
});
process.stdin.on('end', () => process.exit(0));

/** All of it, as a pipe may take less. */
function write(text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
}
