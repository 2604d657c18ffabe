// Exits at once, with a reason on stderr that has no newline at its end.
import { writeSync } from 'node:fs';

writeSync(2, 'starting\nfatal: GITHUB_TOKEN is not set');
process.exit(3);
