import type { JsonValue } from '@deckhand/contracts';
import { braced, convertValue, isSingle, toExpression } from '../expressions/template.ts';
import type { Scope } from '../expressions/scope.ts';
import { unsupported } from '../unsupported.ts';
import { object, show } from '../workflow.ts';
import type { Conversion, Converted } from './converter.ts';
import { noteCredential } from './credentials.ts';
import { eachInLoop } from './each-in-loop.ts';
import { reviewOthers } from './triggers.ts';

/** Sends a message for each item. */
export function emailNode(conversion: Conversion): Converted {
  const { node, parameters, review } = conversion;
  const { operation = 'send', fromEmail = '', toEmail = '', subject = '', text = '', html = '' } = parameters;
  if (operation !== 'send') return unsupported('a message that waits for a response: use an approval or a human task');
  if (fromEmail === '' || toEmail === '') return unsupported('a message without a sender or a recipient');
  const { appendAttribution = node.version >= 2.1, ...options } = object(parameters.options);
  const { attachments = parameters.attachments, fileAttachments, ccEmail = parameters.ccEmail, ...more } = options;
  const { bccEmail = parameters.bccEmail, replyTo, ...others } = more;
  if (isGiven(attachments) || isGiven(fileAttachments)) return unsupported('attachments');
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
        from: textOf(fromEmail, scope),
        to: textOf(toEmail, scope),
        ...(isGiven(ccEmail) && { cc: textOf(ccEmail, scope) }),
        ...(isGiven(bccEmail) && { bcc: textOf(bccEmail, scope) }),
        ...(isGiven(replyTo) && { replyTo: textOf(replyTo, scope) }),
        subject: textOf(subject, scope),
        ...(hasText && { text: textOf(text, scope) }),
        ...(hasHtml && { html: textOf(html, scope) }),
      },
    }),
    lines: ['const result = outputs;'],
    shape: 'one',
  });
}

function isGiven(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== '';
}

/** A parameter of a message, which is text whatever its expression returns. */
function textOf(value: JsonValue, scope: Scope): JsonValue {
  if (isSingle(value)) return braced(`convert.string(${toExpression(value, scope)}) ?? ''`);
  return convertValue(typeof value === 'string' ? value : show(value), scope);
}
