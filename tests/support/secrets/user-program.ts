// Uses the secrets of a home with the keychain of its environment, and prints the results as JSON.
// Arguments: the home, then steps: `set NAME=VALUE`, `get NAME`, `rotate`, `provider`.
import { AppError } from '../../../src/domain/errors.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openSecrets } from '../../../src/secrets/store.ts';
import { silentLog } from '../operation-context.ts';

const [home = '', ...steps] = process.argv.slice(2);
const secrets = openSecrets({ home, env: process.env, log: silentLog, clock: systemClock });
const answers: unknown[] = [];
for (const step of steps) answers.push(await perform(step).catch(toView));
process.stdout.write(JSON.stringify(answers));

async function perform(step: string): Promise<unknown> {
  const [action, name = '', value = ''] = step.split(/[ =]/);
  if (action === 'set') return secrets.set('shared', name, value);
  if (action === 'get') return secrets.get('shared', name);
  return action === 'rotate' ? secrets.rotate() : secrets.provider();
}

function toView(thrown: unknown): unknown {
  if (thrown instanceof AppError) return thrown.toJSON();
  throw thrown;
}
