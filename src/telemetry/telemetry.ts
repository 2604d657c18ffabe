import type { RequestObserver } from '../domain/protocol-request.ts';
import type { Log } from '../lib/log.ts';
import { once } from '../lib/once.ts';
import { createObservation, type Observer } from './observed-call.ts';

export interface TelemetryParts {
  version: string;
  startedAt: number;
  log: Log;
}

export interface TelemetrySettings {
  /** Whether calls are counted for `/metrics`. */
  metrics: boolean;
  /** Endpoint for traces and metrics. */
  otlp_endpoint?: string | undefined;
  service: string;
  sessionsOpen(): Promise<number>;
}

/** Telemetry as the rest of the program uses it: it observes calls as far as it is enabled. */
export function createTelemetry({ version, startedAt, log }: TelemetryParts) {
  const observers: Observer[] = [];
  const metricsOnce = once(async () => (await import('./metrics.ts')).createMetrics({ version, startedAt }));
  let scrape: (() => Promise<string>) | undefined;
  let closeExport: (() => Promise<void>) | undefined;
  let requestObserver: RequestObserver | undefined;

  return {
    observe: createObservation(observers),
    /** Observes MCP requests that do not become calls; undefined if OTLP is disabled. */
    requestObserver: () => requestObserver,
    /** Called each time this process becomes the owner of the home, and when the settings change. */
    async start({ metrics, otlp_endpoint: endpoint, service: name, sessionsOpen }: TelemetrySettings): Promise<void> {
      observers.length = 0;
      scrape = undefined;
      requestObserver = undefined;
      // The previous exporter sends its remaining data in the background.
      void closeExport?.();
      closeExport = undefined;
      if (metrics) {
        const { observer, text } = await metricsOnce();
        observers.push(observer);
        scrape = async () => text(await sessionsOpen());
      }
      if (endpoint !== undefined) {
        const { openOtlp } = await import('./otlp.ts');
        const otlp = openOtlp({ endpoint, service: { name, version }, sessionsOpen, log });
        observers.push(otlp.observer);
        requestObserver = otlp.requestObserver;
        closeExport = otlp.close;
      }
    },
    /** Metrics in Prometheus format; undefined if they are disabled. */
    metrics: () => scrape?.(),
    /** Sends remaining data. */
    async close(): Promise<void> {
      const last = closeExport;
      closeExport = undefined;
      requestObserver = undefined;
      await last?.();
    },
  };
}
