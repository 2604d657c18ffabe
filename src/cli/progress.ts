import { visible } from '../lib/visible.ts';
import type { OperationContext } from '../operation.ts';
import type { Terminal } from './terminal.ts';
import { truncateTo } from './text.ts';

const BAR_WIDTH = 30;
const CLEAR_LINE = '\r\x1b[K';
const REDRAW_AFTER_MS = 100;

interface Progress {
  report: OperationContext['progress'];
  /** Takes the bar away. */
  end(): void;
}

/** A progress bar on a terminal; nothing elsewhere. */
export function createProgress({ err, json }: Terminal, now: () => number = Date.now): Progress {
  const { width } = err;
  if (!err.isTty || json || width === undefined) return { report() {}, end() {} };
  let drawnAt: number | undefined;
  // A bar that cannot be drawn is no reason to stop the work.
  const draw = (text: string) => err.writeRaw(CLEAR_LINE + text).catch(() => {});
  return {
    report(done, total, message) {
      if (drawnAt !== undefined && now() - drawnAt < REDRAW_AFTER_MS && done !== total) return;
      drawnAt = now();
      draw(truncateTo(width - 1, bar(done, total, message)));
    },
    end() {
      if (drawnAt !== undefined) draw('');
    },
  };
}

function bar(done: number, total: number | undefined, message: string | undefined): string {
  const words = message === undefined ? '' : ` ${visible(message)}`;
  if (total === undefined || !(total > 0)) return done === 0 ? words.trimStart() : `${done}${words}`;
  const part = Math.min(1, Math.max(0, done / total));
  const filled = Math.round(part * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${Math.floor(part * 100)}%${words}`;
}
