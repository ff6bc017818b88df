import type { Response } from 'express';

/** Answers with JSON. */
export function sendJson(response: Response, status: number, body: unknown): void {
  sendJsonText(response, status, JSON.stringify(body));
}

/** Answers with JSON that is serialised already. */
export function sendJsonText(response: Response, status: number, json: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
  });
  response.end(json);
}

/** Answers that all is done and there is nothing to say. */
export function sendNothing(response: Response): void {
  response.writeHead(204).end();
}
