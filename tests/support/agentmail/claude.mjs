/** Has the name of an assistant, and runs a command as one of its tools. */
import { spawnSync } from 'node:child_process';

const [program, ...args] = process.argv.slice(2);
const { status } = spawnSync(program, args, { stdio: 'inherit' });
process.exitCode = status ?? 1;
