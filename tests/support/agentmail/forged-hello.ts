/** Says hello to the daemon as another process and in another pane, and prints what `receive` answers. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { daemonAddress } from '../../../src/lib/daemon-address.ts';

const [home = '', pid, cwd, tmux, pane] = process.argv.slice(2);
const hello = { v: 1, door: 'mcp', version: '0.0.0', only: ['agentmail'], cwd, pid: Number(pid), ppid: 1, env: {} };
const named = pane === undefined ? {} : { tmux, tmux_pane: pane };
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'human', version: '1' } };
const lines = [
  { ...hello, ...named },
  { jsonrpc: '2.0', id: 1, method: 'initialize', params },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'receive', arguments: {} } },
];
const socket = connect(daemonAddress(home));
socket.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
const answer = (await text(socket)).split('\n').find((line) => line.includes('"id":2'));
process.stdout.write(answer ?? '');
