/** Attributes of a span. Values of workspaces, such as inputs and outputs, must not be among them. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The role of a span: it handles a request, processes a job, or is part of another span. */
export type SpanKind = 'server' | 'consumer' | 'internal';

/** A started span. */
export interface TraceSpan {
  /** Continues the trace elsewhere: a W3C traceparent, which also says whether the trace is sampled. */
  readonly traceParent: string;
  /** Ends the span. `error`: the code of a failure. `at`: the time in ms since the epoch; by default now. */
  end(last?: { name?: string; attributes?: SpanAttributes; error?: string | undefined; at?: number }): void;
}

/** Sends traces. */
export interface Tracing {
  /**
   * Starts a span.
   * @param options.parent the traceparent of its parent; without a valid one, the span starts a trace.
   * @param options.at its start, in ms since the epoch; by default now.
   */
  begin(
    name: string,
    options: { kind: SpanKind; parent?: string | null | undefined; attributes?: SpanAttributes; at?: number },
  ): TraceSpan;
  /** Calls `act` within a span: everything that it starts, however late, has the span as `current`. */
  within<T>(span: TraceSpan, act: () => T): T;
  /** Returns the traceparent of the current span; undefined outside of spans. */
  current(): string | undefined;
  /** Sends the remaining spans, for a few seconds at most. */
  close(): Promise<void>;
}
