import { type Fault, isJsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError, output } from '@deckhand/engine';
import XMLBuilder from 'fast-xml-builder';
import { XMLParser } from 'fast-xml-parser';
import { SyntaxValidator } from 'fast-xml-validator';
import { types } from 'node:util';
import Type from 'typebox';

/** Text that is read at once, in characters: on the thread that runs all nodes, some 0.3 s. */
const MAX_XML = 1_000_000;
const TEXT = '#text';
/** A name of XML without the scripts of the world; for an attribute with an `@`. */
const NAME = /^@?[A-Za-z_][\w.:-]*$/;
/** Elements within elements at most. */
const MAX_DEPTH = 200;

const shape = { ignoreAttributes: false, attributeNamePrefix: '@', textNodeName: TEXT } as const;
const parser = new XMLParser({
  ...shape,
  parseTagValue: false,
  parseAttributeValue: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // Characters by their number, and the names of HTML.
  htmlEntities: true,
  maxNestedTags: MAX_DEPTH,
});
const validator = new SyntaxValidator();
const [plain, indented] = [false, true].map((format) => new XMLBuilder({ ...shape, format, suppressEmptyNode: true }));

export default defineNodeType({
  type: 'xml',
  title: 'XML',
  description:
    'Reads XML into an object, or writes it. An element becomes a member by its name, several of one name a list; attributes are members with an `@` before their name, and the text beside them is `#text`. Values are texts. Document types and entities of a document’s own are refused. `parse` answers the object, `write` answers `{ text }`.',
  category: 'data',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['parse', 'write'], { description: 'Which of both' }),
      text: Type.Optional(Type.String({ description: 'For `parse`: at most 1,000,000 characters' })),
      value: Type.Optional(Type.Unsafe<JsonValue>({ description: 'For `write`: an object; the input without it' })),
      indent: Type.Optional(
        Type.Boolean({ default: false, description: 'For `write`: an element a line, for people to read' }),
      ),
    },
    { additionalProperties: false },
  ),
  check({ operation, text }): Fault[] {
    return operation === 'parse' && text === undefined ? [{ path: 'text', message: 'is required by parse' }] : [];
  },
  run({ operation, text = '', value, indent = false }, { input }) {
    if (operation === 'parse') return output(read(text));
    const root = value ?? input;
    if (!isJsonObject(root)) throw unwritable('value', 'must be an object');
    checkNames(root);
    const builder = indent ? indented : plain;
    return output({ text: builder?.build(root) ?? '' });
  },
});

function read(text: string): JsonValue {
  if (text.length > MAX_XML) throw invalid(`it has more than ${MAX_XML} characters`);
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw invalid('a document type is refused');
  try {
    validator.validate(text);
    const parsed: unknown = parser.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch (error) {
    throw invalid(types.isNativeError(error) ? error.message : String(error));
  }
}

function invalid(reason: string): NodeError {
  return new NodeError('XML_INVALID', `the text is no XML that can be read: ${reason}`, { isRetryable: false });
}

/** @throws NodeError PARAMETERS_INVALID for what has no place in XML. */
function checkNames(value: JsonValue, path = 'value'): void {
  if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    list.forEach((element, index) => {
      checkNames(element, `${path}[${index}]`);
    });
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (name !== TEXT && !NAME.test(name)) throw unwritable(`${path}.${name}`, 'is no name of an element or attribute');
    checkNames(member, `${path}.${name}`);
  }
}

function unwritable(path: string, message: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.${path} ${message}`, { isRetryable: false });
}
