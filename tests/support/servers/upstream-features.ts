// node upstream-features.ts --name s0 --dir /folder [--era stateless] [--port 9000 [--sessions]]
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createFeaturesServer } from './upstream-features-server.ts';
import { fromWeb, serveHttp } from './upstream-http.ts';
import { option } from './upstream-options.ts';
import { sessionHandler } from './upstream-sessions.ts';

const create = () => createFeaturesServer({ name: option('name', 's0'), dir: option('dir', '.') });
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
