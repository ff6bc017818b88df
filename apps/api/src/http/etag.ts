import type { Request } from 'express';

/** Whether the caller has what this tag stands for: `If-None-Match` names it, weakly compared, or says `*`. */
export function hasSeen(request: Request, etag: string): boolean {
  const given = request.headers['if-none-match'];
  if (given === undefined) return false;
  const seen = given.split(',').map((tag) => opaque(tag.trim()));
  return seen.includes('*') || seen.includes(opaque(etag));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
