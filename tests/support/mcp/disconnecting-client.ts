import { spawn } from 'node:child_process';

// A client that sends many requests and exits before it has read the responses; prints the pid of the shim it leaves behind.
const [program = '', delay = '0'] = process.argv.slice(2);
const shim = spawn(process.execPath, [program, 'mcp'], { stdio: ['pipe', 'pipe', 'ignore'] });
const ask = (id: number, method: string, params: object = {}) =>
  shim.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);

shim.stdout.once('data', () => {
  for (let id = 2; id < 300; id++) ask(id, 'tools/list');
  setTimeout(() => {
    process.stdout.write(String(shim.pid), () => process.exit(1));
  }, Number(delay));
});
ask(1, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'vanishing', version: '1' },
});
