import { fileName } from '@deckhand/contracts';
import { type HttpRequest, NodeError, type NodeFiles, type ResponseHead } from '@deckhand/engine';

/** A name in the form of RFC 8187, such as `UTF-8''%e2%82%ac.pdf`, and a plain one. */
const EXTENDED_NAME = /;\s*filename\*\s*=\s*(?:UTF-8|ISO-8859-1)'[^']*'([^;\s]+)/i;
const PLAIN_NAME = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i;

/**
 * Returns what stores the body of a response as a file, with its content type.
 * @param maxBytes fails longer ones with RESPONSE_TOO_LARGE; undefined for the limits of files alone.
 */
export function saveResponse(files: NodeFiles, maxBytes: number | undefined): NonNullable<HttpRequest['saveBody']> {
  return (head, content) => {
    const about = { name: nameOf(head), contentType: head.headers['content-type'] };
    return files.save(maxBytes === undefined ? content : limited(content, maxBytes), about);
  };
}

/** Returns the name that a response gives its body, or else the last part of its path. */
export function nameOf({ url, headers: { 'content-disposition': disposition = '' } }: ResponseHead): string {
  const [, extended] = EXTENDED_NAME.exec(disposition) ?? [];
  const [, quoted, token] = PLAIN_NAME.exec(disposition) ?? [];
  const given = (extended === undefined ? undefined : decoded(extended)) ?? quoted?.replace(/\\(.)/g, '$1') ?? token;
  return fileName(given ?? '') || fileName(decoded(new URL(url).pathname) ?? '') || 'file';
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

async function* limited(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.byteLength;
    if (bytes > maxBytes)
      throw new NodeError('RESPONSE_TOO_LARGE', `the answer is longer than ${maxBytes} bytes`, { isRetryable: false });
    yield piece;
  }
}
