import { type Ability, connectorContract } from '../support/connectors/contract.ts';
import { signalWorld } from '../support/signal/signal-world.ts';

/** Linking by a code has its own tests; Signal keeps no history. */
const LACKS: readonly Ability[] = ['history', 'passwords', 'login steps'];

connectorContract('Signal with a signal-cli that Switchboard starts', {
  start: () => signalWorld('program'),
  lacks: LACKS,
});
connectorContract('Signal over TCP', { start: () => signalWorld('tcp'), lacks: [...LACKS, 'acknowledgements'] });
connectorContract('Signal over HTTP', { start: () => signalWorld('http'), lacks: [...LACKS, 'acknowledgements'] });
