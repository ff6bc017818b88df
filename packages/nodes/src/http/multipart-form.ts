import { inlineFileOf, type InlineFile, type JsonObject, type JsonValue, mediaTypeOf } from '@deckhand/contracts';
import { createHash } from 'node:crypto';

/** A form as it is sent. */
export interface MultipartForm {
  readonly body: Uint8Array;
  /** With the boundary. */
  readonly contentType: string;
}

/**
 * Encodes fields as `multipart/form-data` (RFC 7578): a part for each member, several for a list, none for null. Files
 * are sent as their bytes, other objects as JSON. The same fields always have the same bytes: receivers that know the
 * `Idempotency-Key` of a retried request may compare them.
 * @param formText writes any other value as a text.
 */
export function encodeMultipart(fields: JsonObject, formText: (value: JsonValue) => string): MultipartForm {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((one): Buffer[] => {
      if (one === null) return [];
      const file = inlineFileOf(one);
      return [file ? filePart(name, file) : part(`name="${escaped(name)}"`, [], Buffer.from(formText(one)))];
    }),
  );
  const digest = createHash('sha256');
  for (const content of parts) digest.update(content);
  // No part can contain a digest of all parts.
  const boundary = `deckhand-${digest.digest('hex')}`;
  const delimiter = Buffer.from(`--${boundary}\r\n`);
  const body = Buffer.concat([
    ...parts.flatMap((content) => [delimiter, content, Buffer.from('\r\n')]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

function filePart(name: string, file: InlineFile): Buffer {
  const { base64, filename = name } = file;
  const disposition = `name="${escaped(name)}"; filename="${escaped(filename)}"`;
  return part(disposition, [`Content-Type: ${mediaTypeOf(file)}`], Buffer.from(base64, 'base64'));
}

function part(disposition: string, headers: readonly string[], content: Buffer): Buffer {
  const head = [`Content-Disposition: form-data; ${disposition}`, ...headers].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), content]);
}

/** Escapes a name as browsers do (HTML, 4.10.21.8, multipart form data). */
function escaped(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
