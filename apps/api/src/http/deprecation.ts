import type { RequestHandler } from 'express';

/** When an operation will end, and what replaces it. */
export interface Deprecation {
  /** The day from which it is deprecated, such as 2026-11-23. */
  readonly since: string;
  /** The day from which it may be gone: at least `NOTICE_DAYS` later. */
  readonly sunset: string;
  /** The path of the operation to use instead, such as `/api/executions/:id/result`, with parameters of this one. */
  readonly successor?: string;
}

/** Minimum number of days that a deprecated operation keeps working: docs/api-versions.md. */
const NOTICE_DAYS = 180;
const DAY_MS = 86_400_000;
/** Documentation of deprecated operations. */
const DOCS = '</docs/api-versions>; rel="deprecation"; type="text/html"';

/**
 * Announces in each response that an operation will end: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and links to
 * the documentation and the operation to use instead.
 * @throws Error if a day is invalid, or the end is too close.
 */
export function announceDeprecation({ since, sunset, successor }: Deprecation): RequestHandler {
  const [from, until] = [Date.parse(since), Date.parse(sunset)];
  if (!(until - from >= NOTICE_DAYS * DAY_MS)) {
    throw new Error(
      `An operation stays for ${NOTICE_DAYS} days after it is deprecated, not from ${since} to ${sunset}`,
    );
  }
  return ({ params }, response, next) => {
    const target = successor?.replaceAll(/:([A-Za-z]+)/g, (_, name: string) =>
      encodeURIComponent(String(params[name])),
    );
    response.setHeader('Deprecation', `@${from / 1_000}`);
    response.setHeader('Sunset', new Date(until).toUTCString());
    response.setHeader('Link', target === undefined ? DOCS : `${DOCS}, <${target}>; rel="successor-version"`);
    next();
  };
}
