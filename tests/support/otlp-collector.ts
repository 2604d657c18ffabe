import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean };
type Attributes = { key: string; value: Value }[];

export interface ReceivedSpan {
  name: string;
  kind: number;
  traceId: string;
  parentSpanId?: string;
  status: { code?: number; message?: string };
  attributes: Record<string, unknown>;
}

export interface ReceivedPoint {
  metric: string;
  unit: string;
  count?: number;
  attributes: Record<string, unknown>;
}

interface Wire {
  resourceSpans?: {
    resource: { attributes: Attributes };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Attributes })[] }[];
  }[];
  resourceMetrics?: { scopeMetrics: { metrics: WireMetric[] }[] }[];
}

interface WireMetric {
  name: string;
  unit: string;
  histogram?: { dataPoints: { count: number; attributes: Attributes }[] };
  gauge?: { dataPoints: { attributes: Attributes }[] };
}

/** An OpenTelemetry collector over HTTP that stores what it receives. */
export async function startCollector(context: TestContext, status = 200) {
  const spans: ReceivedSpan[] = [];
  const points: ReceivedPoint[] = [];
  const services: unknown[] = [];
  const addresses: string[] = [];
  const server = createServer(async (request, response) => {
    addresses.push(request.url ?? '');
    const { resourceSpans = [], resourceMetrics = [] } = (await json(request)) as Wire;
    for (const { resource, scopeSpans } of resourceSpans) {
      services.push(plain(resource.attributes)['service.name']);
      spans.push(
        ...scopeSpans.flatMap((scope) => scope.spans).map((one) => ({ ...one, attributes: plain(one.attributes) })),
      );
    }
    const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    for (const { name, unit, histogram, gauge } of metrics) {
      for (const point of histogram?.dataPoints ?? gauge?.dataPoints ?? []) {
        points.push({ ...point, metric: name, unit, attributes: plain(point.attributes) });
      }
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, points, services, addresses };
}

function plain(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
