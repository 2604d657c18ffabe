import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createSdkServer } from './sdk-server.ts';

await createSdkServer().connect(new StdioServerTransport());
