import {
  answerHeaderIssue,
  isBrokenFile,
  isJsonObject,
  type JsonValue,
  type ValidationIssue,
} from '@deckhand/contracts';
import { NodeError } from '@deckhand/engine';
import { encodeText, foreignCharset, UnencodableError } from '@deckhand/runtime';
import Type from 'typebox';

/** The status of a response to a webhook, as a parameter of a node. */
export const ResponseStatus = Type.Optional(
  Type.Integer({ minimum: 200, maximum: 599, default: 200, description: 'Status of the response to a webhook' }),
);

/** Returns the issues of headers of a response to a webhook. Values with expressions are checked when they are sent. */
export function responseHeaderIssues(headers: JsonValue | undefined): ValidationIssue[] {
  return Object.entries(headers !== undefined && isJsonObject(headers) ? headers : {}).flatMap(([name, value]) => {
    const isKnown = typeof value === 'string' && !value.includes('{{');
    const message = answerHeaderIssue(name, isKnown ? value : '');
    return message === undefined ? [] : [{ path: `headers.${name}`, message }];
  });
}

/**
 * Checks that a body can be sent under the content type of its headers: a text in its charset, and a file as its bytes.
 * @returns undefined if nothing is left to wait for.
 * @throws NodeError PARAMETERS_INVALID
 */
export function checkSendable(body: JsonValue, headers: Readonly<Record<string, string>>): Promise<void> | undefined {
  const [, contentType = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  if (isBrokenFile(body, contentType)) throw invalidBody(`is not a file that can be sent as ${contentType}`);
  if (typeof body !== 'string' || foreignCharset(contentType) === undefined) return undefined;
  return encodeText(body, contentType).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof UnencodableError) throw invalidBody(`cannot be sent as ${contentType}: ${error.message}`);
      throw error;
    },
  );
}

function invalidBody(message: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.body ${message}`, { isRetryable: false });
}
