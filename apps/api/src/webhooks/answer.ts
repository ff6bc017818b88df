import type { Response } from 'express';
import { encodeText, UnencodableError } from '@deckhand/runtime';
import {
  answerHeaderIssue,
  fileToSend,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mediaTypeOf,
  parseJson,
  type StoredFile,
  storedFileToSend,
} from '@deckhand/contracts';

/** Statuses of responses without a body (RFC 9110, 15). */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Browsers would treat a response of a workflow as a page of this host. In a sandbox it has no origin, so it can access
 * nothing of the service (Content Security Policy, `sandbox`).
 */
const SANDBOX = 'sandbox allow-forms allow-popups allow-scripts';

/** Sets the headers of every response to a webhook, refusals included. */
export function prepareAnswer(response: Response): void {
  response.setHeader('Content-Security-Policy', SANDBOX);
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Cache-Control', 'no-store');
}

/** A file of the store that is the body of a response. */
export interface ResultFile {
  readonly stored: StoredFile;
  readonly status: number;
}

/**
 * Sends the result of a Terminal node as the response. Text is sent unchanged, as plain text unless its headers say
 * otherwise, and in the charset that they name; a file as its bytes, everything else as JSON. Headers that a workflow
 * may not set are omitted.
 * @param sendStored sends a file of the store, under the headers that are set.
 * @returns the names of omitted headers.
 */
export async function sendResult(
  response: Response,
  resultJson: string,
  sendStored: (file: ResultFile) => Promise<void>,
): Promise<string[]> {
  const { body = null, statusCode, headers } = readResult(resultJson);
  const refused: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (answerHeaderIssue(name, value) === undefined) response.setHeader(name, value);
    else refused.push(name);
  }
  const file = fileToSend(body, contentTypeOf(response));
  if (file) {
    sendBody(response, statusCode, Buffer.from(file.base64, 'base64'), mediaTypeOf(file));
    return refused;
  }
  const stored = storedFileToSend(body, contentTypeOf(response));
  if (stored && !WITHOUT_BODY.includes(statusCode)) {
    await sendStored({ stored, status: statusCode });
    return refused;
  }
  const isText = typeof body === 'string';
  const fallback = `${isText ? 'text/plain' : 'application/json'}; charset=utf-8`;
  const content = await encodeBody(response, isText ? body : JSON.stringify(body));
  sendBody(response, statusCode, content, fallback);
  return refused;
}

/** Returns the content type that the workflow has set; "" if it has set none. */
function contentTypeOf(response: Response): string {
  return String(response.getHeader('Content-Type') ?? '');
}

/** Encodes a text in the charset of the response. The nodes have checked that it can be, apart from JSON. */
async function encodeBody(response: Response, text: string): Promise<Buffer> {
  const contentType = contentTypeOf(response);
  try {
    return await encodeText(text, contentType);
  } catch (error) {
    if (!(error instanceof UnencodableError)) throw error;
    response.setHeader('Content-Type', `${contentType.split(';', 1).join('')}; charset=utf-8`);
    return Buffer.from(text);
  }
}

/** Sends a JSON response, with a body if the status allows one. */
export function sendAnswer(response: Response, status: number, body: object): void {
  sendBody(response, status, JSON.stringify(body), 'application/json; charset=utf-8');
}

function sendBody(response: Response, status: number, body: string | Buffer, contentType: string): void {
  response.statusCode = status;
  if (WITHOUT_BODY.includes(status)) {
    response.removeHeader('Content-Type');
    response.end();
    return;
  }
  if (!response.hasHeader('Content-Type')) response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

interface Result {
  readonly body?: JsonValue;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

function readResult(json: string): Result {
  const result = parseJson(json);
  const { body, statusCode, headers }: JsonObject = isJsonObject(result) ? result : {};
  return {
    ...(body === undefined ? {} : { body }),
    statusCode: typeof statusCode === 'number' ? statusCode : 200,
    headers: Object.fromEntries(
      Object.entries(isJsonObject(headers) ? headers : {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    ),
  };
}
