/** What is known of a span. Values of workspaces, such as inputs and outputs, do not belong here. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** How a span stands to others: it answers a request, takes a job, or is a part of either. */
export type SpanKind = 'server' | 'consumer' | 'internal';

/** A span that has begun. */
export interface TraceSpan {
  /** What others continue the trace by: a W3C traceparent, which also says whether the trace is sent at all. */
  readonly traceParent: string;
  /** Ends it. `error`: a code that says why it failed. `at`: when, in ms since the epoch, if not now. */
  end(last?: { name?: string; attributes?: SpanAttributes; error?: string | undefined; at?: number }): void;
}

/** Sends traces. */
export interface Tracing {
  /**
   * Begins a span.
   * @param options.parent the traceparent of the span that it belongs to; without one, or with one that is none, it
   * begins a trace.
   * @param options.at when it began, in ms since the epoch, if not now.
   */
  begin(
    name: string,
    options: { kind: SpanKind; parent?: string | null | undefined; attributes?: SpanAttributes; at?: number },
  ): TraceSpan;
  /** Acts in the name of a span: whatever comes of the act, however late, finds it as `current`. */
  within<T>(span: TraceSpan, act: () => T): T;
  /** The traceparent of the span in whose name this is called; undefined outside of any. */
  current(): string | undefined;
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>;
}
