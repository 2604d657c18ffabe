import { createReplies } from './bare-replies.ts';
import { serveOnFreePort } from './free-port.ts';

const reply = createReplies();
await serveOnFreePort(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const { id, method } = JSON.parse(body) as { id?: number; method: string };
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const text = reply(id, method);
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'mcp-session-id': 'constant',
    })
    .end(text);
});
