import { type Command, type Field, type Input, refuseEmpty } from './command.ts';

const DEFAULT_PORT = 3000;
const DEFAULT_HOST = '127.0.0.1';

const FIELDS: readonly Field[] = [
  {
    place: ['port'],
    names: ['port'],
    type: { kind: 'number', whole: true, min: 0, max: 65_535 },
    required: false,
    description: 'Port; 0 means any free port.',
    fallback: DEFAULT_PORT,
  },
  {
    place: ['host'],
    names: ['host'],
    type: { kind: 'text' },
    required: false,
    description: 'Address to listen on. A public one requires a token.',
    fallback: DEFAULT_HOST,
  },
  {
    place: ['token'],
    names: ['token'],
    type: { kind: 'text' },
    required: false,
    description: 'Token that clients must send. Other users of this machine can see it: `auth.token` is safer.',
  },
  {
    place: ['demo'],
    names: ['demo'],
    type: { kind: 'flag' },
    required: false,
    description: 'Add a demo source with some messages; `switchboard chat remove demo` removes it.',
  },
];

/** Fields are checked by now; the types follow from FIELDS. */
interface ServeInput {
  port?: number;
  host?: string;
  token?: string;
  demo?: boolean;
}

/** `switchboard serve`: a door, not an operation. */
export const serveCommand: Command = {
  path: 'serve',
  group: 'doors',
  description: 'Runs the daemon in the foreground, with HTTP; replaces an automatically started one.',
  examples: ['switchboard serve', 'switchboard serve --port 8080', 'switchboard serve --demo'],
  invalidInput: 'VALIDATION_ERROR',
  signature: () => ({ fields: FIELDS, positionals: [] }),
  check: (input) => refuseEmpty(serveCommand, input),
  run(input: Input, composition) {
    const { port = DEFAULT_PORT, host = DEFAULT_HOST, token, demo = false }: ServeInput = input;
    const options = { only: [], readOnly: false, port, host, demo };
    return composition.serveHttp({ ...options, ...(token === undefined ? {} : { token }) });
  },
};
