import { createServer } from 'node:http';
import { createRawRelay } from './raw-relay.ts';
import { textOf } from './web-server.ts';

const [, , program = '', count = '1', port] = process.argv;
const answer = await createRawRelay(program, Number(count));
createServer(async (request, response) => {
  const message = await answer(JSON.parse(await textOf(request)));
  if (!message) return void response.writeHead(202).end();
  const text = JSON.stringify(message);
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'mcp-session-id': 'constant',
    })
    .end(text);
}).listen(Number(port), '127.0.0.1');
