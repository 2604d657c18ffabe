// node upstream-echo.ts --name s0 --tools 3 [--era stateless] [--port 9000 [--sessions]]
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createEchoServer } from './upstream-echo-server.ts';
import { fromWeb, serveHttp } from './upstream-http.ts';
import { option } from './upstream-options.ts';
import { sessionHandler } from './upstream-sessions.ts';

const create = () => createEchoServer({ name: option('name', 's0'), tools: Number(option('tools', '0')) });
const port = option('port', '');
const isStateless = option('era', '') === 'stateless';

if (port === '') serveStdio(create, { legacy: isStateless ? 'reject' : 'serve' });
else if (process.argv.includes('--sessions')) await serveHttp(sessionHandler(create), Number(port));
else {
  const handler = createMcpHandler(create, { legacy: isStateless ? 'reject' : 'stateless' });
  await serveHttp(
    fromWeb((request) => handler.fetch(request)),
    Number(port),
  );
}
