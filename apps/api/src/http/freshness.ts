import type { Request, Response } from 'express';

/** Returns true if the caller accepts no data of a replica (`Cache-Control: no-cache`, RFC 9111). */
export function wantsFresh(request: Request): boolean {
  return /(^|[\s,])no-cache($|[\s,])/i.test(request.get('cache-control') ?? '');
}

/** Says how old the data of a response may be (RFC 9111); nothing for data of the primary. */
export function setAge(response: Response, ageMs: number | undefined): void {
  if (ageMs !== undefined) response.setHeader('Age', Math.ceil(ageMs / 1_000));
}
