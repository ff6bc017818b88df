import { convertValue, isExpression, toExpression } from '../expressions/template.ts';
import { unsupported } from '../unsupported.ts';
import { lookup, show } from '../workflow.ts';
import type { Conversion, Converted } from './converter.ts';
import { noteCredential } from './credentials.ts';
import { eachInLoop } from './each-in-loop.ts';
import { itemScript } from './item-script.ts';

const ALGORITHMS: Readonly<Record<string, string>> = {
  MD5: 'md5',
  SHA1: 'sha1',
  SHA256: 'sha256',
  SHA384: 'sha384',
  SHA512: 'sha512',
};

/** Writes a digest or a random text into a field of each item. */
export function cryptoNode(conversion: Conversion): Converted {
  const { parameters, review } = conversion;
  const { action = 'hash', dataPropertyName = 'data' } = parameters;
  switch (action) {
    case 'hash':
    case 'hmac':
      if (parameters.binaryData === true) return unsupported('digests of files');
      if (action === 'hmac') reviewSecret(conversion);
      return digest(conversion, action);
    case 'generate': {
      review('random values come from Math.random here, which is not fit for secrets');
      const { encodingType = 'uuid', stringLength = 32 } = parameters;
      return itemScript(conversion, {
        values: { name: dataPropertyName, length: stringLength },
        lines: [
          'const random = (length, characters) =>',
          '  Array.from({ length }, () => characters[Math.floor(Math.random() * characters.length)]).join("");',
          ...randomText(encodingType),
        ],
        result: '{ ...item, [given.name]: generate(given.length) }',
      });
    }
    default:
      return unsupported(`the action ${show(action)}`);
  }
}

function digest(conversion: Conversion, action: 'hash' | 'hmac'): Converted {
  const { node, parameters } = conversion;
  const { value = '', dataPropertyName = 'data', encoding = 'hex' } = parameters;
  const { type = node.version < 2 ? 'MD5' : 'SHA256' } = parameters;
  const algorithm = lookup(ALGORITHMS, type) ?? unsupported(`digests of the type ${show(type)}`);
  if (encoding !== 'hex' && encoding !== 'base64') return unsupported(`the encoding ${show(encoding)}`);
  if (isExpression(dataPropertyName)) return unsupported('names of fields that are expressions');
  const name = JSON.stringify(dataPropertyName);
  const output = action === 'hash' ? 'hash' : 'signature';
  return eachInLoop(conversion, {
    node: (id, scope) => ({
      id,
      type: action,
      name: node.name,
      parameters: {
        ...(action === 'hmac' && { operation: 'sign' }),
        data: convertValue(value, scope),
        algorithm,
        encoding,
      },
    }),
    lines: [`const result = items.map((item, index) => ({ ...item, ${name}: outputs[index].${output} }));`],
    shape: 'one',
  });
}

/** The secret of an export is not copied: it belongs into a credential. */
function reviewSecret(conversion: Conversion): void {
  const { parameters, scope } = conversion;
  const { secret } = parameters;
  if (isExpression(secret)) {
    // Checks that it does not depend on the item.
    const text = toExpression(secret, { ...scope, item: ITEM });
    if (text.includes(ITEM) || text.includes('$nodes')) return unsupported('a secret that the data has');
  }
  noteCredential(conversion, 'apiKey, bearer or header');
  if (conversion.node.version < 2) conversion.review('save the secret of the export in that credential');
}

/** Stands for the item where nothing may depend on it. */
const ITEM = '$item';

/** Returns JavaScript for a random text. */
function randomText(encoding: unknown): string[] {
  switch (encoding) {
    case 'uuid':
      return [
        "const hex = (length) => random(length, '0123456789abcdef');",
        "const generate = () => `${hex(8)}-${hex(4)}-4${hex(3)}-${random(1, '89ab')}${hex(3)}-${hex(12)}`;",
      ];
    case 'hex':
      return ["const generate = (length) => random(length, '0123456789abcdef');"];
    case 'base64':
      return [
        "const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';",
        'const generate = (length) => random(length, `${LETTERS}${LETTERS.toLowerCase()}0123456789`);',
      ];
    case 'ascii':
      return [
        'const ASCII = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));',
        'const generate = (length) => random(length, ASCII);',
      ];
    default:
      return unsupported('random texts in an encoding that does not exist');
  }
}
