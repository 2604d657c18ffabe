import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoopDelay {
  mean: number;
  p99: number;
  max: number;
}

/** Delay of the event loop in seconds since the previous call. Measuring starts with the first call. */
export function createLoopDelay(): () => LoopDelay {
  let monitor: ReturnType<typeof monitorEventLoopDelay> | undefined;
  return () => {
    if (!monitor) {
      monitor = monitorEventLoopDelay();
      monitor.enable();
    }
    const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
    const delay = {
      mean: seconds(monitor.mean),
      p99: seconds(monitor.count === 0 ? 0 : monitor.percentile(99)),
      max: seconds(monitor.count === 0 ? 0 : monitor.max),
    };
    monitor.reset();
    return delay;
  };
}

export function memory(): { resident: number; heap: number; external: number } {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { resident: rss, heap: heapUsed, external };
}
