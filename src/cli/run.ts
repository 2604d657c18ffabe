import { version } from '../lib/version.ts';
import { visibleJson } from '../lib/visible.ts';
import { agentmailCommand } from './agentmail-command.ts';
import { isOption, parseArguments, setAt } from './arguments.ts';
import { type Command, UsageError } from './command.ts';
import { commandsOf, type FoundCommand, findCommand } from './commands.ts';
import { completionCommand } from './completion-command.ts';
import type { CompositionModule } from './composition.ts';
import { daemonCommand } from './daemon-command.ts';
import { fail } from './failure.ts';
import { type Globals, readGlobals, wantsJson } from './globals.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { mcpCommand } from './mcp-command.ts';
import { serveCommand } from './serve-command.ts';
import { readFromStdin, readPipe } from './stdin.ts';
import { createTerminal, type Stdin, type Stream, type Terminal } from './terminal.ts';

/** The environment of a command line; tests pass their own. */
export interface CliEnvironment {
  stdin: Stdin;
  stdout: Stream;
  stderr: Stream;
  env: NodeJS.ProcessEnv;
  load(): Promise<CompositionModule>;
}

/** Runs one command line to its end and returns the exit code; it never throws. */
export async function run(argv: readonly string[], given: Partial<CliEnvironment> = {}): Promise<number> {
  const { env = process.env, load = () => import('../compose.ts') } = given;
  const terminal = createTerminal(given, env, wantsJson(argv));
  try {
    return await dispatch(readGlobals(argv), terminal, load);
  } catch (thrown) {
    return await fail(thrown, terminal);
  }
}

async function dispatch(globals: Globals, terminal: Terminal, load: CliEnvironment['load']): Promise<number> {
  const { line, help, version: versionAsked } = globals;
  if (versionAsked) return show(terminal, terminal.json ? visibleJson({ version: version() }) : version());
  if (line[0] === 'help') return dispatch({ ...globals, help: true, line: line.slice(1) }, terminal, load);
  if (line.length === 0 && terminal.json && !help) throw new UsageError('A command is needed.');
  const commands = await commandsFor(line, load);
  if (line.length === 0) return show(terminal, overview(commands, terminal.out));
  const found = findCommand(commands, line);
  if (help) return show(terminal, helpOn(found, terminal));
  if (found.kind === 'group') throw incomplete(found);
  return execute(found.command, found.args, globals, terminal, load);
}

/** The operations are loaded only where the line needs them. */
async function commandsFor([first]: readonly string[], load: CliEnvironment['load']): Promise<readonly Command[]> {
  if (first === mcpCommand.path || (first !== undefined && isOption(first))) return [mcpCommand];
  const { operationsCatalog } = await load();
  const own = [mcpCommand, serveCommand, daemonCommand, agentmailCommand];
  const commands = [...own, ...commandsOf(await operationsCatalog())];
  return [...commands, completionCommand(commands)];
}

async function execute(
  command: Command,
  args: readonly string[],
  { home, flags }: Globals,
  terminal: Terminal,
  load: CliEnvironment['load'],
): Promise<number> {
  const { input, fromStdin } = parseArguments(command, args);
  command.check?.(input);
  if (fromStdin && !command.readsLines)
    setAt(input, fromStdin.place, await readFromStdin(command, fromStdin, terminal.stdin()));
  else if (command.readsPipe) Object.assign(input, await readPipe(command, input, terminal.stdin()));
  const { composeCli } = await load();
  const composition = await composeCli({ flags, ...(home === undefined ? {} : { home }) });
  try {
    return await command.run(input, composition, terminal);
  } catch (thrown) {
    return await fail(thrown, terminal, command);
  } finally {
    await composition.close();
  }
}

function helpOn(found: FoundCommand, { out }: Terminal): string {
  return found.kind === 'command' ? commandHelp(found.command, out) : groupHelp(found.path, found.commands, out);
}

function incomplete({ path, commands }: Extract<FoundCommand, { kind: 'group' }>): UsageError {
  const shown = commands.filter(({ hidden }) => !hidden);
  const next = [...new Set(shown.map((command) => command.path.slice(path.length + 1).split(' ')[0]))];
  return new UsageError(`${path} needs one of ${next.join(', ')} after it.`, { group: path });
}

async function show({ out }: Terminal, text: string): Promise<number> {
  await out.write(`${text}\n`);
  return 0;
}
