import { DeckhandError } from '@deckhand/contracts';
import type { Request } from 'express';
import { networkOf } from './network-of.js';

/** Bytes of large bodies that the process holds at a time. */
const HELD_BYTES_MAX = 134_217_728;
/** A body that is shorter is not counted. */
const COUNTED_BYTES_MIN = 65_536;
const RETRY_AFTER_SECONDS = 2;

/** A large body whose request is not answered yet. */
interface HeldBody {
  readonly network: string;
  bytes: number;
  /** Gives the body up. Undefined once it is whole: what was taken is served. */
  refuse: ((error: DeckhandError) => void) | undefined;
}

const bodies = new Map<Request, HeldBody>();
let heldBytes = 0;

/**
 * Counts what has come of a body, until its request is answered. Where all large bodies together are too much, the
 * largest unfinished one of the network that sends the most is given up: a caller who sends slowly, or much at once,
 * keeps nobody else out.
 * @param refuse called when that is this one.
 */
export function holdBody(request: Request, bytes: number, refuse: (error: DeckhandError) => void): void {
  if (bytes < COUNTED_BYTES_MIN) return;
  let body = bodies.get(request);
  if (!body) {
    body = { network: networkOf(request.ip ?? ''), bytes: 0, refuse };
    bodies.set(request, body);
    request.res?.once('close', () => {
      release(request);
    });
  }
  heldBytes += bytes - body.bytes;
  body.bytes = bytes;
  while (heldBytes > HELD_BYTES_MAX && bodies.has(request)) giveUpLargest();
}

/** Says that a body is whole: it is counted on, and not given up any more. */
export function completeBody(request: Request): void {
  const body = bodies.get(request);
  if (body) body.refuse = undefined;
}

function giveUpLargest(): void {
  const unfinished = [...bodies].filter(([, { refuse }]) => refuse !== undefined);
  const byNetwork = new Map<string, number>();
  for (const [, { network, bytes }] of unfinished) byNetwork.set(network, (byNetwork.get(network) ?? 0) + bytes);
  const most = Math.max(...byNetwork.values());
  const theirs = unfinished.filter(([, { network }]) => byNetwork.get(network) === most);
  const largest = theirs.reduce((found, one) => (one[1].bytes > found[1].bytes ? one : found));
  release(largest[0]);
  largest[1].refuse?.(
    new DeckhandError('SERVICE_UNAVAILABLE', {
      message: 'Too much is being sent at once: send it again later',
      headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
    }),
  );
}

function release(request: Request): void {
  heldBytes -= bodies.get(request)?.bytes ?? 0;
  bodies.delete(request);
}
