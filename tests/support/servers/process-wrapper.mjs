// Starts another program of this folder, as npx or uvx does, and passes no signal on. With `--new-session`, it leaves the
// group; with `--clean`, its environment is empty; with `--exit`, the wrapper exits as soon as the other program is ready.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [name, ...options] = process.argv.slice(2);
const program = fileURLToPath(new URL(name, import.meta.url));
const child = spawn(process.execPath, [program], {
  stdio: ['inherit', 'pipe', 'inherit'],
  detached: options.includes('--new-session'),
  env: options.includes('--clean') ? {} : process.env,
});
child.stdout.on('data', (chunk) => {
  process.stdout.write(chunk, () => {
    if (options.includes('--exit')) process.exit(0);
  });
});
child.on('exit', (code) => process.exit(code ?? 0));
