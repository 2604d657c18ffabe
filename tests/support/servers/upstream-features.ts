// node upstream-features.ts --name s0 --dir /folder [--era sessions|stateless] [--port 0]
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createFeaturesServer } from './upstream-features-server.ts';
import { fromWeb, type Handler, serveHttp } from './upstream-http.ts';
import { option } from './upstream-options.ts';
import { sessionHandler } from './upstream-sessions.ts';

const options = { name: option('name', 's0'), dir: option('dir', '.') };
const create = () => createFeaturesServer(options);
const port = option('port', '');
const isStateless = option('era', '') === 'stateless';

/** Every request has a server object of its own, so what has changed is kept here. */
function statelessHandler(): Handler {
  let isGrown = false;
  const handler = createMcpHandler(() => createFeaturesServer({ ...options, isGrown, notify }), { legacy: 'reject' });
  const notify = {
    toolsChanged() {
      isGrown = true;
      handler.notify.toolsChanged();
    },
    resourceUpdated: (uri: string) => handler.notify.resourceUpdated(uri),
  };
  return fromWeb((request) => handler.fetch(request));
}

if (port === '') serveStdio(create, { legacy: isStateless ? 'reject' : 'serve' });
else {
  const { url } = await serveHttp(isStateless ? statelessHandler() : sessionHandler(create), Number(port));
  console.log(url);
}
