import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHttp, startStdio } from '../mcp/mcp-program.ts';
import { toolClient } from '../mcp/tool-client.ts';
import { runProgram } from '../program.ts';
import { type MessagesApi, startMessagesApi } from './messages-api.ts';

export const API_KEY = 'sk-ant-a-key-for-tests';
const OWNER = 'the-owner-of-this-machine';

/** A home in this folder whose Claude is a double of the API, which the test closes. */
export async function claudeHome(folder: string, config = '') {
  const api = await startMessagesApi();
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  return { api, home, env: environmentOf(api) };
}

function environmentOf({ url }: MessagesApi): Record<string, string> {
  return { ANTHROPIC_API_KEY: API_KEY, ANTHROPIC_BASE_URL: url };
}

export type ClaudeHome = Awaited<ReturnType<typeof claudeHome>>;

/** Commands of the person in this home; each may be run by a daemon. */
export function commandsIn({ home, env }: Pick<ClaudeHome, 'home' | 'env'>) {
  return (args: readonly string[], stdin = '') => runProgram(args, { home, env, stdin });
}

/** A client of the program on stdio. */
export async function stdioIn({ home, env }: Pick<ClaudeHome, 'home' | 'env'>) {
  const program = startStdio({ home, env });
  await program.initialize();
  return { ...program, tools: toolClient(program.call), stop: () => program.stop() };
}

/** The program on HTTP, with its owner's token, and REST as the owner. */
export async function httpIn({ home, env }: Pick<ClaudeHome, 'home' | 'env'>) {
  const program = await startHttp({ home, env: { ...env, SWITCHBOARD_AUTH__TOKEN: OWNER } });
  async function rest(method: string, path: string, body?: object, token = OWNER) {
    const answer = await fetch(`${program.base}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: what an answer has is what the test is about
    return { code: answer.status, body: (await answer.json()) as any };
  }
  return { ...program, rest, stop: () => program.stop() };
}
