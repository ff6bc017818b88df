import type { RequestHandler } from 'express';

/** What is said of an operation that will end. */
export interface Deprecation {
  /** The day from which it is deprecated, such as 2026-11-23. */
  readonly since: string;
  /** The day from which it may be gone: at least `NOTICE_DAYS` later. */
  readonly sunset: string;
  /** The path of the operation to use instead, such as `/api/executions/:id/result`, with parameters of this one. */
  readonly successor?: string;
}

/** How long a deprecated operation works at least: docs/api-versions.md. */
const NOTICE_DAYS = 180;
const DAY_MS = 86_400_000;
/** Where people read what is deprecated. */
const DOCS = '</docs/>; rel="deprecation"; type="text/html"';

/**
 * Announces in each response that an operation will end: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and links to
 * the documentation and the operation to use instead.
 * @throws Error when a day is none, or the end is too near.
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
