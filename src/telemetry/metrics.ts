import { DURATION_BUCKETS } from './conventions.ts';
import type { Observer } from './observed-call.ts';
import { createLoopDelay, memory } from './process-gauges.ts';
import { createCounter, createHistogram, exposition, type Family } from './prometheus.ts';

export interface MetricsParts {
  version: string;
  /** Milliseconds since 1970. */
  startedAt: number;
}

/** What `/metrics` shows: calls since the start, and how the process is. */
export function createMetrics({ version, startedAt }: MetricsParts) {
  const calls = createCounter();
  const durations = createHistogram(DURATION_BUCKETS);
  const loopDelay = createLoopDelay();

  const observer: Observer = ({ operation, door }) => {
    return {
      end({ result, seconds }) {
        calls.add({ operation, door, result });
        durations.observe({ operation, door }, seconds);
      },
    };
  };

  return {
    observer,
    text(sessionsOpen: number): string {
      const { resident, heap } = memory();
      const { user, system } = process.cpuUsage();
      const delay = loopDelay();
      return exposition([
        gauge('switchboard_info', 'The version that runs.', 1, { version }),
        {
          name: 'switchboard_calls_total',
          help: 'Calls by operation, door and result: ok, or the code of the error.',
          type: 'counter',
          samples: calls.samples(),
        },
        {
          name: 'switchboard_call_duration_seconds',
          help: 'How long calls took.',
          type: 'histogram',
          samples: durations.samples(),
        },
        gauge('switchboard_sessions_open', 'MCP clients with an open session.', sessionsOpen),
        {
          name: 'nodejs_eventloop_delay_seconds',
          help: 'How late the event loop was since the last scrape.',
          type: 'gauge',
          samples: Object.entries(delay).map(([stat, value]) => ({ labels: { stat }, value })),
        },
        gauge('process_resident_memory_bytes', 'Memory of the process.', resident),
        gauge('nodejs_heap_size_used_bytes', 'Memory in use by JavaScript.', heap),
        {
          name: 'process_cpu_seconds_total',
          help: 'Processor time used.',
          type: 'counter',
          samples: [{ labels: {}, value: (user + system) / 1e6 }],
        },
        gauge('process_start_time_seconds', 'When the process started, since 1970.', startedAt / 1_000),
      ]);
    },
  };
}

function gauge(name: string, help: string, value: number, labels: Record<string, string> = {}): Family {
  return { name, help, type: 'gauge', samples: [{ labels, value }] };
}
