import type { Probe } from '../capability.ts';
import { ok, warning } from '../domain/finding.ts';
import type { ClaudeSettings } from './settings.ts';

const CHECK = 'claude';
const LOOPBACK = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/i;

/** Whether conversations with Claude are possible, and safe. They are optional. */
export const claudeProbe: Probe<ClaudeSettings> = {
  check: CHECK,
  async examine({ settings }) {
    if (!settings) return [];
    const { api_key: key, base_url: url = '' } = settings.claude;
    if (!key) return [ok(CHECK, 'No API key is configured, so that there are no conversations with Claude.')];
    if (/^http:/i.test(url) && !LOOPBACK.test(url)) {
      const says = 'claude.base_url has no encryption: the API key and all conversations can be read on the way.';
      return [warning(CHECK, says, 'Use an address that begins with https://.')];
    }
    return [ok(CHECK, 'An API key is configured.')];
  },
};
