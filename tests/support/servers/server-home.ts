import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/domain/json.ts';
import { homeMark } from '../../../src/servers/process/process-mark.ts';
import { writeConfig } from '../chat/live-home.ts';
import { startHttp } from '../mcp/mcp-program.ts';
import { openSession } from '../mcp/rpc-http.ts';
import { isAlive, removeHome, until } from '../mcp/shim-program.ts';
import { toolClient } from '../mcp/tool-client.ts';
import { type ProgramResult, runProgram } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';

/** A server as the API shows it, as far as tests read it. */
export interface SeenServer extends JsonObject {
  id: string;
  enabled: boolean;
  status: SeenStatus;
}

export interface SeenStatus extends JsonObject {
  state: string;
}

export interface RestAnswer {
  status: number;
  body: JsonObject & { error?: JsonObject & { code: string; message: string } };
}

type OnEnd = (end: () => Promise<void> | void) => void;

interface Given {
  configuration?: JsonObject;
  env?: Record<string, string>;
}

/** The built program with an empty home: its owner listens on HTTP, commands attach to it. */
export async function startServerHome(onEnd: OnEnd, { configuration = {}, env = {} }: Given = {}) {
  const folder = temporaryFolder(onEnd);
  const home = join(folder, 'home');
  writeConfig(home, { auth: { token: OWNER }, ...configuration });
  let owner = await startHttp({ home, env });
  onEnd(async () => {
    await owner.stop();
    removeHome(home);
  });

  async function rest(method: string, path: string, body?: object, token = OWNER): Promise<RestAnswer> {
    const answer = await fetch(`${owner.base}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as RestAnswer['body'] };
  }

  const status = async (id: string) => (await rest('GET', `/servers/${id}/status`)).body as unknown as SeenStatus;

  /** Waits until a server is in this state; gives its status. */
  async function reached(id: string, state: string): Promise<SeenStatus> {
    let seen = await status(id);
    await until(`${id} ${state}`, async () => {
      seen = await status(id);
      return seen.state === state;
    });
    return seen;
  }

  async function add(config: JsonObject): Promise<SeenServer> {
    const { status: code, body } = await rest('POST', '/servers', config);
    if (code !== 200) throw new Error(JSON.stringify(body));
    return body as unknown as SeenServer;
  }

  const call = (id: string, tool: string, args: JsonObject = {}) =>
    rest('POST', `/servers/${id}/call`, { tool, arguments: args });
  const command = (...args: string[]): Promise<ProgramResult> => runProgram(args, { home, env });
  /** Names of the tools that a client is offered. */
  async function offered(client: Pick<Awaited<ReturnType<typeof openSession>>, 'call'>): Promise<string[]> {
    const { result, error } = await client.call('tools/list');
    if (!result) throw new Error(JSON.stringify(error));
    return (result.tools as { name: string }[]).map(({ name }) => name);
  }

  const session = (token = OWNER) => openSession(owner.url, { authorization: `Bearer ${token}` });

  return {
    home,
    folder,
    rest,
    status,
    reached,
    add,
    call,
    command,
    session,
    offered,
    token: OWNER,
    log: () => owner.log,
    url: () => owner.url,
    async json(...args: string[]): Promise<JsonObject> {
      const { stdout, stderr } = await command(...args, '--json');
      return JSON.parse(stdout || stderr) as JsonObject;
    },
    /** The text of the answer of a tool. */
    async text(id: string, tool: string, args: JsonObject = {}): Promise<string> {
      const { body } = await call(id, tool, args);
      return typeof body.text === 'string' ? body.text : JSON.stringify(body);
    },
    /** Adds a server and waits until it runs. */
    async run(config: JsonObject): Promise<SeenServer> {
      const { id } = await add(config);
      await reached(id, 'running');
      return (await rest('GET', `/servers/${id}`)).body as unknown as SeenServer;
    },
    /** Calls tools over MCP, as the owner or another token. */
    async tools(token = OWNER) {
      return toolClient((await session(token)).call);
    },
    async newToken(name: string, ...scopes: string[]): Promise<string> {
      const { body } = await rest('POST', '/tokens', { name, scopes });
      if (typeof body.token !== 'string') throw new Error(JSON.stringify(body));
      return body.token;
    },
    /** A folder for the files of a server. */
    dir(name: string): string {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    async kill(): Promise<void> {
      owner.signal('SIGKILL');
      await owner.ended();
    },
    async stop(): Promise<void> {
      await owner.stop();
    },
    async start(): Promise<void> {
      owner = await startHttp({ home, env });
    },
  };
}

export type ServerHome = Awaited<ReturnType<typeof startServerHome>>;

/** The processes of the servers of a home, whichever process started them. */
export function serverProcesses(home: string): number[] {
  const mark = `=${homeMark(home)}`;
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark) && isAlive(pid);
      } catch {
        return false;
      }
    });
}

/** The configuration of a program in this folder as a server. */
export function nodeServer(name: string, program: string, args: readonly string[] = [], more: JsonObject = {}) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  return {
    name,
    package: { type: 'binary', identifier: process.execPath },
    transport: { type: 'stdio' },
    args: [path, ...args],
    ...more,
  } satisfies JsonObject;
}

/** The server that fails as it is told to; see its file. */
export function faultyServer(
  name: string,
  { dir, fault, ...more }: { dir?: string; fault?: string } & JsonObject = {},
): JsonObject {
  const args = [...(dir === undefined ? [] : ['--dir', dir]), ...(fault === undefined ? [] : ['--fault', fault])];
  return nodeServer(name, 'process-faulty.mjs', args, more);
}

/** The lines that the faulty server wrote to a file; none where there is no file. */
export function linesIn(dir: string, file: string): string[] {
  try {
    return readFileSync(join(dir, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}
