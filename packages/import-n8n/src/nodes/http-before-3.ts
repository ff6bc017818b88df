import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { unsupported } from '../unsupported.ts';
import { object, show, text } from '../workflow.ts';

/** Returns parameters of HTTP Request before version 3 as those of later versions. @throws UnsupportedError */
export function modernize(old: JsonObject): JsonObject {
  const { requestMethod = 'GET', url = '', responseFormat = 'json', dataPropertyName = 'data', sendBinaryData } = old;
  if (sendBinaryData === true) return unsupported('bodies that are files');
  if (responseFormat === 'string' && dataPropertyName !== 'data') {
    return unsupported(`a response in the field ${show(dataPropertyName)}`);
  }
  const {
    bodyContentType = 'json',
    bodyContentCustomMimeType,
    fullResponse,
    followRedirect,
    ignoreResponseCode,
    ...others
  } = object(old.options);
  const hasBody = requestMethod !== 'GET' && requestMethod !== 'HEAD';
  return {
    method: requestMethod,
    url,
    ...authentication(old),
    ...part(old, 'query'),
    ...part(old, 'header'),
    ...(hasBody && part(old, 'body')),
    contentType: bodyContentType,
    ...(bodyContentCustomMimeType !== undefined && { rawContentType: bodyContentCustomMimeType }),
    ...(bodyContentType === 'raw' && { body: old.bodyParametersJson ?? '' }),
    options: {
      ...others,
      ...(followRedirect === false && { redirect: { redirect: { followRedirects: false } } }),
      response: {
        response: {
          fullResponse: fullResponse === true,
          neverError: ignoreResponseCode === true,
          ...(responseFormat === 'file' && { responseFormat, outputPropertyName: dataPropertyName }),
        },
      },
    },
  };
}

/** Credentials of version 1 are named without "http". */
function authentication({
  authentication: kind = 'none',
  genericAuthType,
  nodeCredentialType,
}: JsonObject): JsonObject {
  const type = genericAuthType ?? nodeCredentialType;
  if (kind === 'none' || type !== undefined)
    return { authentication: kind, ...(type !== undefined && { genericAuthType: type }) };
  const name = show(kind);
  return { authentication: kind, genericAuthType: `http${name.slice(0, 1).toUpperCase()}${name.slice(1)}` };
}

/** Names and values, or JSON, of a part of the request. */
function part(old: JsonObject, name: 'query' | 'header' | 'body'): Record<string, JsonValue> {
  const what = name === 'header' ? 'Headers' : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  if (old.jsonParameters === true) {
    const json = text(old[`${name}ParametersJson`]);
    return json === undefined ? {} : { [`send${what}`]: true, [`specify${what}`]: 'json', [`json${what}`]: json };
  }
  const { parameter } = object(old[`${name}ParametersUi`]);
  return parameter === undefined ? {} : { [`send${what}`]: true, [`${name}Parameters`]: { parameters: parameter } };
}
