import type { JsonValue, N8nTable } from '@deckhand/contracts';
import type { Scope } from '../../expressions/scope.ts';
import { braced, isExpression, toExpression } from '../../expressions/template.ts';
import { unsupported } from '../../unsupported.ts';
import { object, show } from '../../workflow.ts';
import type { Conversion, Converted } from '../converter.ts';
import { noteCredential } from '../credentials.ts';
import { eachInLoop } from '../each-in-loop.ts';
import { callNode, nameOf } from './call.ts';

/** Operations of Gmail; a message that is sent becomes a text with headers. */
export function gmailNode(conversion: Conversion, table: N8nTable): Converted {
  const { node, parameters } = conversion;
  const isSent = nameOf(table, parameters).name === 'message send' && node.version >= table.from;
  return isSent ? sendMessage(conversion, table) : callNode(conversion, table);
}

/** Headers of addresses, by the options of n8n. */
const ADDRESSES = { ccList: 'Cc', bccList: 'Bcc', replyTo: 'Reply-To' };

function sendMessage(conversion: Conversion, { connector, version, credential }: N8nTable): Converted {
  const { node, parameters, review } = conversion;
  const { sendTo = '', subject = '', message = '', emailType = 'html', options, ...rest } = parameters;
  const { appendAttribution, ...given } = object(options);
  const known = ['resource', 'operation', 'authentication'];
  const others = [
    ...Object.keys(rest).filter((name) => !known.includes(name)),
    ...Object.keys(given).filter((name) => !Object.hasOwn(ADDRESSES, name)),
  ];
  const choose = `use the operation "message.send" of the connector "${connector}" ${version}`;
  if (others[0] !== undefined) return unsupported(`its parameter ${others[0]} has no equivalent: ${choose}`);
  if (emailType !== 'html' && emailType !== 'text')
    return unsupported(`mails of the type ${show(emailType)}: ${choose}`);
  noteCredential(conversion, `${credential} for the connector "${connector}"`);
  if (appendAttribution !== false) review('the line that n8n adds to the message, which names n8n, is not sent');
  const kind = emailType === 'html' ? 'html' : 'plain';
  const body = (scope: Scope): string => {
    const text = (value: JsonValue): string => `(convert.string(${textOf(value, scope)}) ?? '')`;
    // A line break would begin a header of its own.
    const addresses = (value: JsonValue): string =>
      `${text(value)}.replace(/[\\r\\n]+/g, ' ').split(',').map((each) => each.trim()).join(', ')`;
    const lines = [
      `"To: ", ${addresses(sendTo)}, "\\r\\n"`,
      ...Object.entries(ADDRESSES).flatMap(([name, header]) =>
        given[name] === undefined || given[name] === '' ? [] : [`"${header}: ", ${addresses(given[name])}, "\\r\\n"`],
      ),
      // Words of at most 75 characters, of which each is whole, as RFC 2047 has them.
      `"Subject: ", (${text(subject)}.match(/[\\s\\S]{1,10}/g) ?? []).map((word) => ["=?UTF-8?B?", base64Encode(word), "?="].join('')).join("\\r\\n "), "\\r\\n"`,
      `"MIME-Version: 1.0\\r\\nContent-Type: text/${kind}; charset=utf-8\\r\\nContent-Transfer-Encoding: base64\\r\\n\\r\\n"`,
      `base64Encode(${text(message)}.trim()).replace(/.{76}/g, "$&\\r\\n")`,
    ];
    return `[${lines.join(', ')}].join('')`;
  };
  return eachInLoop(conversion, {
    node: (id, scope) => ({
      id,
      type: 'connector',
      name: node.name,
      parameters: { connector, version, operation: 'message.send', values: { body: braced(body(scope)) } },
    }),
    lines: ['const result = outputs.map(({ body }) => body);'],
    shape: 'one',
  });
}

function textOf(value: JsonValue, scope: Scope): string {
  return isExpression(value) ? toExpression(value, scope) : JSON.stringify(show(value));
}
