import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createSdkRelay } from './sdk-relay.ts';

const [, , program = '', count = '1'] = process.argv;
serveStdio(await createSdkRelay(program, Number(count)));
