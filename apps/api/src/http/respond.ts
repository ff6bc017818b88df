import type { Response } from 'express';

const NOT_KEPT = { 'Cache-Control': 'no-store' };

/** Answers with JSON. */
export function sendJson(response: Response, status: number, body: unknown): void {
  sendJsonText(response, status, JSON.stringify(body));
}

/** Answers with JSON that is serialised already. No cache keeps it, unless the route has said how it may. */
export function sendJsonText(response: Response, status: number, json: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
    ...(response.hasHeader('Cache-Control') ? undefined : NOT_KEPT),
  });
  response.end(json);
}

/** Answers that all is done and there is nothing to say. */
export function sendNothing(response: Response): void {
  response.writeHead(204).end();
}
