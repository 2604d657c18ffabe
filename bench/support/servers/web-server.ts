import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

type Fetch = (request: Request, parsedBody: unknown) => Promise<Response>;

/** Serves the SDK's handlers on a port, with as little between them and the socket as possible. */
export async function serveWeb(port: number, fetch: Fetch): Promise<void> {
  const server = createServer((request, response) => {
    answer(request, response, fetch).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
}

async function answer(request: IncomingMessage, response: ServerResponse, fetch: Fetch): Promise<void> {
  const { url, method = 'POST', headers } = request;
  const body = await textOf(request);
  const web = new Request(`http://${headers.host}${url}`, { method, headers: headers as Record<string, string> });
  const answered = await fetch(web, body === '' ? undefined : JSON.parse(body));
  const bytes = Buffer.from(await answered.arrayBuffer());
  response
    .writeHead(answered.status, { ...Object.fromEntries(answered.headers), 'content-length': bytes.length })
    .end(bytes);
}

export async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
