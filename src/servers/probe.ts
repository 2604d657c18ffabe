import type { Probe } from '../capability.ts';
import { broken, type Finding, ok, warning } from '../domain/finding.ts';
import { listServers } from './operations/list-servers.ts';
import type { ServersSettings } from './settings.ts';

const CHECK = 'servers';

/** Says which servers are in error, and which wait for a review. */
export const serversProbe: Probe<ServersSettings> = {
  check: CHECK,
  async examine({ ask }) {
    const answer = await ask(listServers, {});
    if (!answer || answer.servers.length === 0)
      return [ok(CHECK, answer ? 'No other MCP server is configured.' : 'No daemon runs, and so no server.')];
    const findings = answer.servers.flatMap(({ id, status }): Finding[] => {
      const { state, message = '', hint, to_review: toReview } = status;
      const failed =
        state === 'error' ? [broken(CHECK, `${id}: ${message}`, hint ?? `switchboard servers logs ${id}`)] : [];
      const review =
        toReview === undefined
          ? []
          : [
              warning(
                CHECK,
                `${id} offers ${toReview} entries that have to be reviewed.`,
                `switchboard servers review ${id}`,
              ),
            ];
      return [...failed, ...review];
    });
    const running = answer.servers.filter(({ status }) => status.state === 'running').length;
    return findings.length > 0 ? findings : [ok(CHECK, `${running} of ${answer.servers.length} servers run.`)];
  },
};
