import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether an `Authorization` header carries the token. Takes the same time whatever it carries. */
export function hasMetricsToken(authorization: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
