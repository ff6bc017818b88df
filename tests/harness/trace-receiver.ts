import type { IncomingHttpHeaders } from 'node:http';
import { json } from 'node:stream/consumers';
import { serve } from './serve.ts';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  /** The process that sent it, such as `deckhand-api`. */
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for the first of a trace. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Whether it reports a failure. */
  readonly isError: boolean;
  readonly durationMs: number;
}

/** A collector that speaks OTLP over HTTP, with JSON bodies. */
export interface TraceReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Headers of the last request. */
  headers(): IncomingHttpHeaders;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** What OTLP numbers the status of a span that failed. */
const ERROR = 2;

/** Starts a receiver on a free port. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  let headers: IncomingHttpHeaders = {};
  const { url } = await serve((request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/traces') {
      response.writeHead(404).end();
      return;
    }
    ({ headers } = request);
    void json(request).then((body) => {
      spans.push(...read(body as Export));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  return { url, spans, headers: () => headers };
}

function read({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => toSpan(span, service)));
  });
}

function toSpan(span: Span, service: string): ReceivedSpan {
  const nanos = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
  return {
    service,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId === '' ? undefined : span.parentSpanId,
    name: span.name,
    attributes: valuesOf(span.attributes),
    isError: span.status.code === ERROR,
    durationMs: Number(nanos) / 1e6,
  };
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
