// `node scripts/run.mjs COMMAND [ARGUMENT…]`: installs missing packages, then runs the command with them and with
// the checkout's Node. Runs on Node 20, imports no package.
import { run } from './checkout.mjs';
import { setUpPackages } from './setup.mjs';

const [command, ...args] = process.argv.slice(2);

try {
  if (command === undefined) throw new Error('Usage: node scripts/run.mjs COMMAND [ARGUMENT…]');
  await setUpPackages();
  process.exitCode = await run(command, args);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
