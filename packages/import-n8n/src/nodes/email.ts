import type { JsonValue, NodeDefinition } from '@deckhand/contracts';
import { braced, convertText, isExpression, literal, toExpression } from '../expressions/template.ts';
import { fileOfItem } from '../files.ts';
import { unsupported } from '../unsupported.ts';
import { lookup, object, show } from '../workflow.ts';
import { type Conversion, type Converted, incomplete, maybeEmpty, outputOf, single } from './converter.ts';
import { noteCredential } from './credentials.ts';
import { eachInLoop } from './each-in-loop.ts';
import { reviewOthers } from './triggers.ts';

/** Sends a message for each item. */
export function emailNode(conversion: Conversion): Converted {
  const { node, parameters, review } = conversion;
  const { operation = 'send', fromEmail = '', toEmail = '', subject = '', text = '', html = '' } = parameters;
  if (node.version >= 2 && operation !== 'send' && operation !== 'sendAndWait') return doesNothing(conversion);
  if (fromEmail === '' || toEmail === '') return incomplete(conversion, 'no sender or no recipient');
  if (operation === 'sendAndWait') return sendAndWait(conversion);
  const { appendAttribution = node.version >= 2.1, ...options } = object(parameters.options);
  const { attachments = parameters.attachments, fileAttachments, ccEmail = parameters.ccEmail, ...more } = options;
  const { bccEmail = parameters.bccEmail, replyTo, ...others } = more;
  const files = [attachments, fileAttachments].flatMap((given) => attachmentsOf(conversion, given));
  if (files.length > 0) review('an item without any files fails here, in n8n its message has no attachments');
  if (isGiven(attachments) && node.version >= 2)
    review('its files are attached, in n8n they are parts of the message (cid:)');
  reviewOthers(others, review);
  noteCredential(conversion, 'smtp');
  if (appendAttribution !== false) review('the sentence about n8n that it adds to the end of the message is left out');
  review('the item has messageId, accepted and rejected; the other fields of n8n are left out');
  const format = node.version < 2 ? 'both' : (parameters.emailFormat ?? (node.version < 2.1 ? 'text' : 'html'));
  if (format !== 'text' && format !== 'html' && format !== 'both') return unsupported(`messages as ${show(format)}`);
  const hasText = format === 'text' || (format === 'both' && (isGiven(text) || !isGiven(html)));
  const hasHtml = format === 'html' || (format === 'both' && isGiven(html));
  return eachInLoop(conversion, {
    node: (id, scope) => ({
      id,
      type: 'email',
      name: node.name,
      parameters: {
        from: convertText(fromEmail, scope),
        to: convertText(toEmail, scope),
        ...(isGiven(ccEmail) && { cc: convertText(ccEmail, scope) }),
        ...(isGiven(bccEmail) && { bcc: convertText(bccEmail, scope) }),
        ...(isGiven(replyTo) && { replyTo: convertText(replyTo, scope) }),
        subject: convertText(subject, scope),
        ...(hasText && { text: convertText(text, scope) }),
        ...(hasHtml && { html: convertText(html, scope) }),
        ...(files.length > 0 && { attachments: files.map((file) => ({ file })) }),
      },
    }),
    lines: ['const result = outputs;'],
    shape: 'one',
  });
}

/** Returns the files of the item that are attached. @throws UnsupportedError */
function attachmentsOf({ input, review }: Conversion, given: JsonValue | undefined): string[] {
  if (!isGiven(given)) return [];
  const named = literal(given);
  if (isExpression(named)) return unsupported('files that an expression names');
  const names = show(named).split(',');
  return names.map((name) => braced(fileOfItem(input, name.trim(), review)));
}

/** An operation that n8n's node does not have returns no items. */
function doesNothing({ id, node, parameters, review }: Conversion): Converted {
  review(`it has no operation ${show(parameters.operation)}, so that it does nothing and has no items, as in n8n`);
  const fields = { items: '{{ [] }}' };
  return maybeEmpty(
    single({ id, type: 'set', name: node.name, parameters: { fields } }, outputOf(id, 'list', '.items')),
  );
}

/** Seconds of the units that limit a wait. */
const SECONDS: Readonly<Record<string, number>> = { minutes: 60, hours: 3_600, days: 86_400 };

/** Sends a message with a link, and waits until somebody decides or writes a text there. */
function sendAndWait(conversion: Conversion): Converted {
  const { id, node, parameters, scope, review } = conversion;
  const { fromEmail = '', toEmail = '', subject = '', message = '', responseType = 'approval' } = parameters;
  const { limitWaitTime, appendAttribution: _, ...others } = object(parameters.options);
  const { approvalType = 'single', ...styles } = object(object(parameters.approvalOptions).values);
  if (responseType !== 'approval' && responseType !== 'freeText') return unsupported('a form of its own in a message');
  reviewOthers({ ...styles, ...others }, review);
  noteCredential(conversion, 'smtp');
  review('the message is plain text with a link to a page that asks, in n8n it is HTML with buttons');
  review('without a response in time, the run fails; in n8n it goes on with its input');
  const [ask, item] = [`${id}__response`, `${id}__item`];
  const limit = { ...timeoutOf(limitWaitTime), allowLinks: true };
  const question = convertText(subject, scope);
  const isDecision = responseType === 'approval';
  const choices = approvalType === 'double' ? ['approved', 'rejected'] : ['approved'];
  const asking: NodeDefinition = isDecision
    ? {
        id: ask,
        type: 'approval',
        name: `${node.name}: response`,
        parameters: { message: question, choices, ...limit },
      }
    : {
        id: ask,
        type: 'human',
        name: `${node.name}: response`,
        parameters: { title: question, schema: TEXT, ...limit },
      };
  const answer = isDecision ? `approved: $nodes.${ask}.output.approved` : `text: $nodes.${ask}.output.text`;
  const source = `return { data: { ${answer}, respondedAt: new Date().toISOString() } };`;
  const text = `{{ convert.string(${toExpression(message, scope)}) ?? '' }}\n\n{{ $links.${ask} }}`;
  const sent = { from: convertText(fromEmail, scope), to: convertText(toEmail, scope), subject: question, text };
  const ways = isDecision ? choices.map((sourceHandle) => ({ sourceHandle })) : [{}];
  return {
    nodes: [
      { id, type: 'email', name: node.name, parameters: sent },
      asking,
      { id: item, type: 'code', name: `${node.name}: item`, parameters: { source } },
    ],
    edges: [{ source: id, target: ask }, ...ways.map((way) => ({ source: ask, target: item, ...way }))],
    outputs: [{ nodeId: item, source: outputOf(item, 'one') }],
  };
}

/** The form of a text. */
const TEXT = {
  type: 'object',
  properties: { text: { type: 'string', title: 'Response', contentMediaType: 'text/plain' } },
  required: ['text'],
};

/** Returns how long to wait. @throws UnsupportedError */
function timeoutOf(given: JsonValue | undefined): { readonly timeoutSeconds?: number } {
  if (given === undefined) return {};
  const { limitType = 'afterTimeInterval', resumeAmount = 1, resumeUnit = 'hours' } = object(object(given).values);
  const seconds = lookup(SECONDS, resumeUnit);
  if (limitType !== 'afterTimeInterval' || typeof resumeAmount !== 'number' || seconds === undefined) {
    return unsupported('a date until which it waits');
  }
  return { timeoutSeconds: resumeAmount * seconds };
}

function isGiven(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== '';
}
