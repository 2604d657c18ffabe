import { createMcpHandler } from '@modelcontextprotocol/server';
import { createSdkRelay } from './sdk-relay.ts';
import { serveWeb } from './web-server.ts';

const [, , program = '', count = '1', port] = process.argv;
const handler = createMcpHandler(await createSdkRelay(program, Number(count)));
await serveWeb(Number(port), (request, parsedBody) => handler.fetch(request, { parsedBody }));
