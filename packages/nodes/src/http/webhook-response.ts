import { answerHeaderIssue, isJsonObject, type JsonValue, type ValidationIssue } from '@deckhand/contracts';
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
