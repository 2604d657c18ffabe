import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createEchoServer } from '../../../tests/support/servers/upstream-echo-server.ts';

// The server behind every gateway, and the direct peer of those on stdio. Its name is the argument.
serveStdio(() => createEchoServer({ name: process.argv[2] ?? 's0' }));
