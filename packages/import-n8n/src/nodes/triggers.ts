import type { JsonObject } from '@deckhand/contracts';
import { unsupported } from '../unsupported.ts';
import { list, lookup, object, show } from '../workflow.ts';
import { type Conversion, type Converted, outputOf, single } from './converter.ts';

/** Manual starts, and those by other workflows. */
export function manualTrigger({ id, node, parameters, review }: Conversion): Converted {
  const { workflowInputs, jsonExample, inputSource } = parameters;
  const declares =
    list(object(workflowInputs).values).length > 0 || inputSource === 'jsonExample' || jsonExample !== undefined;
  if (declares) review('the inputs that it declares are left out: set a schema');
  return single({ id, type: 'trigger.manual', name: node.name }, outputOf(id, 'one'));
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What a webhook accepts, by what n8n calls it. */
const AUTHENTICATIONS: Readonly<Record<string, string>> = { none: 'none', basicAuth: 'basic', headerAuth: 'apiKey' };

export function webhookTrigger({ id, node, parameters, review, hasResponder }: Conversion): Converted {
  const { httpMethod: given = 'GET', path, responseMode = 'onReceived', authentication = 'none', options } = parameters;
  const [httpMethod = '', ...others] = [given].flat();
  if (others.length > 0) return unsupported('several methods, each with an output of its own');
  const method = METHODS.find((each) => each === httpMethod) ?? unsupported(`the method ${show(httpMethod)}`);
  if (responseMode === 'streaming') return unsupported('streamed responses');
  const kind = lookup(AUTHENTICATIONS, authentication) ?? unsupported(`the authentication ${show(authentication)}`);
  if (kind !== 'none')
    review(
      `it is disabled, because it has no credential of the type ${kind} for its callers (in n8n ${show(authentication)}): choose one, and enable it`,
    );
  review(`senders need the new URL, which is generated: the path was "${show(path)}"`);
  review('headers, query and body are in the item as in n8n; path parameters are not');
  const { responseCode, rawBody, ipWhitelist, ...unknown } = object(options);
  if (ipWhitelist !== undefined && ipWhitelist !== '')
    return unsupported('addresses that alone may call it (ipWhitelist)');
  reviewOthers(unknown, review);
  const { responseData = 'firstEntryJson' } = parameters;
  if (responseMode === 'lastNode' && responseData !== 'firstEntryJson') {
    review(`the response is the first item of the last node, in n8n ${show(responseData)}`);
  }
  const waits = hasResponder || responseMode === 'lastNode';
  const code = object(object(responseCode).values).responseCode ?? parameters.responseCode;
  return single(
    {
      id,
      type: 'trigger.webhook',
      name: node.name,
      parameters: {
        method,
        responseMode: waits ? 'onCompletion' : 'immediately',
        authentication: kind,
        ...(rawBody === true && { rawBody: true }),
        // 200 is the default here, too.
        ...(typeof code === 'number' && code !== 200 && !waits && { responseCode: code }),
      },
      // Saving refuses an enabled one without its credential.
      ...(kind !== 'none' && { disabled: true }),
    },
    outputOf(id, 'one'),
  );
}

/** Names options that have no equivalent, so that somebody looks at them. */
export function reviewOthers(options: JsonObject, review: (message: string) => void): void {
  const names = Object.keys(options);
  if (names.length > 0) review(`options without equivalent: ${names.join(', ')}`);
}
