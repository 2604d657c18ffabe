// `npm start`: from a fresh clone to a running Switchboard. Runs on Node 20, imports no package.
import { join, relative } from 'node:path';
import { checkoutEnv, needsBuild, node, root, run } from './checkout.mjs';
import { setUpPackages } from './setup.mjs';

const DEFAULT_PORT = '3000';

try {
  await setUpPackages();
  if (needsBuild()) {
    const built = await run(node, ['scripts/build.mjs', '--quiet']);
    if (built !== 0) process.exit(built);
  }
  process.exitCode = await start(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function start(args) {
  const home = process.env.SWITCHBOARD_HOME || join(root, '.switchboard');
  const port = optionOf('--port', args);
  const endpoint = `http://${optionOf('--host', args) ?? '127.0.0.1'}:${port ?? DEFAULT_PORT}/mcp`;
  console.error(
    `Switchboard: MCP at ${endpoint}, state in ${relative(process.cwd(), home) || '.'}. Connect with: claude mcp add --transport http switchboard ${endpoint}`,
  );
  const portArgs = port === undefined ? ['--port', DEFAULT_PORT] : [];
  return run(node, ['dist/cli.js', 'serve', '--demo', ...portArgs, ...args], {
    env: checkoutEnv({ SWITCHBOARD_HOME: home }),
  });
}

function optionOf(flag, args) {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  return at < 0 ? undefined : args[at].includes('=') ? args[at].slice(flag.length + 1) : args[at + 1];
}
