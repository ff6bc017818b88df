import { DeckhandError } from '@deckhand/contracts';
import type { KeptFile } from '@deckhand/db';
import type { FileRange, FileStore } from '@deckhand/outputs';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { networkOf } from '../http/caller-address.ts';
import { isFastEnough } from '../http/request-time.ts';
import type { WorkspaceShares } from '../runs/workspace-shares.ts';

/** How long a caller may read nothing before it counts as disconnected, in ms. */
const STALL_MS = 60_000;
/** How long a caller may read more slowly than it has to, in ms. */
const SLOW_MS = 300_000;

/** A file to send as a response. */
export interface SentFile {
  readonly files: Pick<FileStore, 'read'>;
  readonly file: KeptFile;
  /** Headers that are not set yet get these values. */
  readonly contentType: string;
  /** Becomes the name of the download; "" for none. */
  readonly name: string;
  /** 200 may become 206 or 416. */
  readonly status: number;
}

/**
 * Sends a file, or the range of it that the request names, at the speed of the caller, unless that is too slow. Some
 * MiB are held until then, so it is counted towards a share.
 */
export async function sendFile(request: Request, response: Response, sent: SentFile): Promise<void> {
  const { file, files, status } = sent;
  const tag = `"${file.id}"`;
  setMissing(response, { 'Content-Type': sent.contentType, 'Content-Disposition': attachmentNamed(sent.name) });
  setMissing(response, { ETag: tag, 'X-Content-Type-Options': 'nosniff' });
  const { range: wanted, 'if-range': condition } = request.headers;
  const takesRange = status === 200 && (condition === undefined || condition === tag);
  const range = takesRange ? parseRange(wanted, file.bytes) : undefined;
  if (status === 200) response.setHeader('Accept-Ranges', 'bytes');
  if (range === 'unsatisfiable') {
    response.writeHead(416, { 'Content-Range': `bytes */${file.bytes}`, 'Content-Length': 0 }).end();
    return;
  }
  const { bytes, content } = files.read(file, range);
  if (range) response.setHeader('Content-Range', `bytes ${range.from}-${range.until - 1}/${file.bytes}`);
  response.writeHead(range ? 206 : status, { 'Content-Length': bytes });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  response.setTimeout(STALL_MS, () => response.destroy());
  const timer = setTimeout(() => response.destroy(), SLOW_MS);
  /** Extends the time while the caller reads what there is fast enough. */
  async function* paced(): AsyncGenerator<Uint8Array, void, undefined> {
    let [sentBytes, waitedMs] = [0, 0];
    for await (const piece of content) {
      const waitsSince = performance.now();
      yield piece;
      waitedMs += performance.now() - waitsSince;
      sentBytes += piece.byteLength;
      if (isFastEnough({ bytes: sentBytes, waitedMs, limitMs: SLOW_MS })) timer.refresh();
    }
  }
  try {
    await pipeline(Readable.from(paced(), { objectMode: false }), response);
  } catch (error) {
    // A caller that went away needs no response; one that is left gets a broken connection instead of a short file.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error;
  } finally {
    clearTimeout(timer);
    response.setTimeout(0);
  }
}

/** A browser gives a file that it shows no origin, so it cannot act for the person in the console. */
const SANDBOX = "default-src 'none'; sandbox";

/** A file to send for a browser to save. */
export interface Download extends Pick<SentFile, 'files' | 'file' | 'name'> {
  readonly shares: WorkspaceShares;
}

/**
 * Sends a file for a browser to save, and never to show as a page of this origin. No cache keeps it.
 * @throws DeckhandError RATE_LIMITED, SERVICE_UNAVAILABLE if too many downloads are in progress.
 */
export function sendDownload(request: Request, response: Response, { shares, ...sent }: Download): Promise<void> {
  response.setHeader('Content-Security-Policy', SANDBOX);
  response.setHeader('Cache-Control', 'private, no-store');
  return shares.within(sent.file.workspaceId, 'downloads', () =>
    sendFile(request, response, { ...sent, contentType: 'application/octet-stream', status: 200 }),
  );
}

/**
 * Sends a file like `sendDownload` to a caller with a link. Members keep a part of the downloads of their workspace for
 * themselves, and one network never has all of those by links.
 */
export function sendLinkedDownload(request: Request, response: Response, sent: Download): Promise<void> {
  const { file, shares } = sent;
  return shares.within(networkOf(request.ip ?? ''), 'downloads by links from your network', () =>
    shares.within(file.workspaceId, 'downloads by links', () => sendDownload(request, response, sent)),
  );
}

/** A range whose end is known. */
type KnownRange = FileRange & { readonly until: number };

/**
 * Reads a header `Range` (RFC 9110, 14.2) with one range. Several ranges, and other units, are ignored, which the
 * standard allows. @returns undefined for the whole file.
 */
export function parseRange(header: string | undefined, bytes: number): KnownRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const from = first === '' ? Math.max(bytes - Number(last), 0) : Number(first);
  const until = first === '' || last === '' ? bytes : Math.min(Number(last) + 1, bytes);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  return from >= until ? 'unsatisfiable' : { from, until };
}

/** Returns the value of `Content-Disposition` that saves a file under a name (RFC 6266, RFC 8187). */
export function attachmentNamed(name: string): string {
  if (name === '') return 'attachment';
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}

function setMissing(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) if (!response.hasHeader(name)) response.setHeader(name, value);
}

/** Returns the error for a file that a run does not name, or not any more. */
export function noSuchFile(): DeckhandError {
  return new DeckhandError('NOT_FOUND', { message: 'The run has no such file' });
}
