/** What a program in the foreground means for typing a message into its pane. */
export type ProgramKind = 'agent' | 'never' | 'unknown';

const AGENTS = new Set(
  words(`claude claude-code codex gemini gemini-cli cursor-agent opencode aider amp goose qwen qwen-code copilot crush
    kimi droid auggie cody continue cn kilo kilocode cline plandex q-chat kiro-cli vibe openhands`),
);

/** Text typed into one of these would run as a command, change a file or go elsewhere. */
const NEVER = new Set([
  // shells
  ...words('sh bash zsh fish dash ash ksh mksh tcsh csh nu elvish xonsh pwsh busybox rbash osh'),
  // editors
  ...words('vi vim nvim view vimdiff ex emacs emacsclient nano pico micro helix hx kak ed joe ne mcedit mg jed'),
  // pagers, and programs that show something and take single keys
  ...words('less more most man bat top htop btop atop watch fzf sk tig lazygit gitui k9s mc ranger nnn lf yazi ncdu'),
  ...words('git gh tail journalctl dialog whiptail'),
  // remote shells, containers, multiplexers
  ...words(
    'ssh mosh mosh-client telnet rlogin et nc socat docker podman kubectl nsenter chroot tmux screen zellij script',
  ),
  // REPLs
  ...words('python python2 python3 ipython bpython ptpython node deno bun irb pry php lua luajit R julia ghci erl iex'),
  ...words('scala jshell perl ruby clj sbcl guile racket ocaml utop swift bc dc gnuplot octave maxima'),
  // databases and debuggers
  ...words('psql mysql mariadb sqlite3 sqlite redis-cli valkey-cli mongosh mongo cqlsh sqlplus usql duckdb clickhouse'),
  ...words('gdb lldb pdb pudb dlv rr jdb'),
  // password prompts
  ...words('sudo su doas login passwd ssh-add ssh-keygen gpg gpg2 pinentry pinentry-curses pinentry-tty op pass bw'),
]);

const INTERPRETERS = /^(?:node|nodejs|bun|deno|python[0-9.]*|ruby|perl|tsx|ts-node|uv|uvx|npx|bunx|pipx)$/;
/** Words between an interpreter and its script. */
const RUNNERS = new Set(['run', 'exec', 'x', 'tool', 'task']);
/** Programs whose file has another name: the package that contains it has theirs. */
const PACKAGES: readonly [string, string][] = [
  ['/@anthropic-ai/claude-code/', 'claude'],
  ['/@openai/codex/', 'codex'],
  ['/@google/gemini-cli/', 'gemini'],
  ['/@qwen-code/qwen-code/', 'qwen'],
  ['/@github/copilot/', 'copilot'],
  ['/@sourcegraph/amp/', 'amp'],
  ['/opencode-ai/', 'opencode'],
  ['/cursor-agent/', 'cursor-agent'],
];
/** Claude Code's own installer names the file after its version. */
const CLAUDE_VERSIONS = '/claude/versions/';

export function kindOf(command: readonly string[]): ProgramKind {
  const name = programName(command);
  if (AGENTS.has(name)) return 'agent';
  return name === '' || NEVER.has(name) || NEVER.has(name.replace(/[0-9.]+$/, '')) ? 'never' : 'unknown';
}

/** The program as the user would name it: `claude` of `node /usr/bin/claude --resume`. */
export function programName(command: readonly string[]): string {
  const [program = '', ...args] = command;
  const own = nameOf(program);
  if (!INTERPRETERS.test(own)) return own;
  const module = own.startsWith('python') ? args[args.indexOf('-m') + 1] : undefined;
  if (args.includes('-m') && module !== undefined) return nameOf(module);
  const script = args.find((each) => !each.startsWith('-') && !RUNNERS.has(each));
  return script === undefined ? own : nameOf(script);
}

/**
 * A login shell's name begins with a dash; a program that sets its own title may append to it. Every command of agent mail
 * asks this of all of its parents, so a pattern is used only where it may match.
 */
function nameOf(path: string): string {
  const inPackage = path.includes('/') ? packageOf(path) : undefined;
  if (inPackage !== undefined) return inPackage;
  const end = path.indexOf(' ');
  const word = end < 0 ? path : path.slice(0, end);
  const start = word.lastIndexOf('/') + 1;
  const name = word.slice(word[start] === '-' ? start + 1 : start);
  return name.includes('.') || name.includes('@')
    ? name.replace(/\.(?:[cm]?[jt]s|py|rb|pl|exe)$/, '').replace(/@.*$/, '')
    : name;
}

function packageOf(path: string): string | undefined {
  const found = PACKAGES.find(([part]) => path.includes(part));
  if (found) return found[1];
  const at = path.indexOf(CLAUDE_VERSIONS);
  return at >= 0 && at + CLAUDE_VERSIONS.length < path.length && !path.includes('/', at + CLAUDE_VERSIONS.length)
    ? 'claude'
    : undefined;
}

function words(text: string): string[] {
  return text.split(/\s+/);
}
