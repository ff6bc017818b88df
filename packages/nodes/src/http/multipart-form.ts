import {
  fileName,
  inlineFileOf,
  type JsonObject,
  type JsonValue,
  mediaTypeOf,
  storedFileOf,
  type StoredFile,
} from '@deckhand/contracts';
import type { NodeFiles, StreamedBody } from '@deckhand/engine';
import { createHash } from 'node:crypto';

/** A form as it is sent. */
export interface MultipartForm {
  /** Streamed if a file of the store is among its fields. */
  readonly body: Uint8Array | StreamedBody;
  /** With the boundary. */
  readonly contentType: string;
}

/** A part of a form. */
interface Part {
  readonly disposition: string;
  /** Undefined for fields without a type of their own. */
  readonly contentType?: string;
  readonly content: Buffer | StoredFile;
}

/**
 * Encodes fields as `multipart/form-data` (RFC 7578): a part for each member, several for a list, none for null. Files
 * are sent as their bytes, other objects as JSON. The same fields always have the same bytes: receivers that know the
 * `Idempotency-Key` of a retried request may compare them.
 * @param formText writes any other value as a text.
 * @throws NodeError FILE_NOT_FOUND
 */
export async function encodeMultipart(
  fields: JsonObject,
  formText: (value: JsonValue) => string,
  files: NodeFiles,
): Promise<MultipartForm> {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((one): Part[] => (one === null ? [] : [toPart(name, one, formText)])),
  );
  const digest = createHash('sha256');
  for (const part of parts) {
    digest.update(headOf(part));
    digest.update(Buffer.isBuffer(part.content) ? part.content : part.content.id);
  }
  // No part can contain a digest of all parts.
  const boundary = `deckhand-${digest.digest('hex')}`;
  const pieces = [
    ...parts.flatMap((part) => [Buffer.from(`--${boundary}\r\n${headOf(part)}`), part.content, Buffer.from('\r\n')]),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return { body: await joined(pieces, files), contentType: `multipart/form-data; boundary=${boundary}` };
}

function toPart(name: string, value: JsonValue, formText: (value: JsonValue) => string): Part {
  const inline = inlineFileOf(value);
  const stored = storedFileOf(value);
  if (!inline && !stored) return { disposition: `name="${escaped(name)}"`, content: Buffer.from(formText(value)) };
  const given = (inline ? inline.filename : fileName(stored?.name ?? '')) ?? '';
  const disposition = `name="${escaped(name)}"; filename="${escaped(given === '' ? name : given)}"`;
  const contentType = mediaTypeOf(inline ?? stored ?? {});
  return { disposition, contentType, content: stored ?? Buffer.from(inline?.base64 ?? '', 'base64') };
}

function headOf({ disposition, contentType }: Part): string {
  const type = contentType === undefined ? '' : `\r\nContent-Type: ${contentType}`;
  return `Content-Disposition: form-data; ${disposition}${type}\r\n\r\n`;
}

async function joined(pieces: readonly (Buffer | StoredFile)[], files: NodeFiles): Promise<Uint8Array | StreamedBody> {
  const inMemory = pieces.filter((piece) => Buffer.isBuffer(piece));
  if (inMemory.length === pieces.length) return Buffer.concat(inMemory);
  // The lengths that the store knows: those of the values may be made up.
  const sizes = pieces.map(async (piece) =>
    Buffer.isBuffer(piece) ? piece.length : (await files.open({ file: piece })).bytes,
  );
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return {
    bytes,
    async *open() {
      for (const piece of pieces) {
        if (Buffer.isBuffer(piece)) yield piece;
        else yield* (await files.open({ file: piece })).content;
      }
    },
  };
}

/** Escapes a name as browsers do (HTML, 4.10.21.8, multipart form data). */
function escaped(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
