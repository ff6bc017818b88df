import { type ValidationIssue, isJsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError, type Outcome, output } from '@deckhand/engine';
import XMLBuilder from 'fast-xml-builder';
import { XMLParser } from 'fast-xml-parser';
import { SyntaxValidator } from 'fast-xml-validator';
import { types } from 'node:util';
import Type from 'typebox';
import { checkedResult } from '../text/limit.ts';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';

/** Maximum length of a text to parse, in characters; a written text may be as long as JSON. */
const MAX_XML = 1_000_000;
/** Maximum number of tags and attributes of a text to parse: about 0.1 s, more if all of them are empty elements. */
const MAX_MARKS = 60_000;
const [TAG, ATTRIBUTE] = [0x3c, 0x3d];
const TEXT = '#text';
/** A name of XML, with ASCII letters only; for an attribute with an `@`. */
const NAME = /^@?[A-Za-z_][\w.:-]*$/;
/** Maximum depth of nested elements. */
const MAX_DEPTH = 200;

const shape = { ignoreAttributes: false, attributeNamePrefix: '@', textNodeName: TEXT } as const;
const parser = new XMLParser({
  ...shape,
  parseTagValue: false,
  parseAttributeValue: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // Character references by number, and the names of HTML.
  // oxlint-disable-next-line typescript/no-deprecated -- its successor takes a decoder, which is another package
  htmlEntities: true,
  maxNestedTags: MAX_DEPTH,
});
const validator = new SyntaxValidator();
const [plain, indented] = [false, true].map((format) => new XMLBuilder({ ...shape, format, suppressEmptyNode: true }));

export default defineNodeType({
  type: 'xml',
  title: 'XML',
  description:
    'Reads XML into an object, or writes it. An element becomes a member by its name, several of one name a list; attributes are members with an `@` before their name, and the text beside them is `#text`. Values are texts. Document types and custom entities are refused. `parse` returns the object, `write` returns `{ text }`.',
  keywords: ['soap', 'rss', 'feed', 'parse'],
  category: 'data',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['parse', 'write'], { description: 'Whether to parse or to write' }),
      text: Type.Optional(
        Type.String({ description: 'For `parse`: at most 1,000,000 characters and 60,000 tags and attributes' }),
      ),
      value: Type.Optional(
        Type.Unsafe<JsonValue>({
          description: 'For `write`: an object of at most 1,000,000 characters of JSON; by default the input',
        }),
      ),
      indent: Type.Optional(
        Type.Boolean({ default: false, description: 'For `write`: one element per line, for people to read' }),
      ),
    },
    { additionalProperties: false },
  ),
  check({ operation, text }): ValidationIssue[] {
    return operation === 'parse' && text === undefined ? [{ path: 'text', message: 'is required by parse' }] : [];
  },
  run({ operation, text = '', value, indent = false }, { input, signal }) {
    if (operation === 'parse') return runInSlices(signal, (work) => read(text, work));
    const root = value ?? input;
    if (!isJsonObject(root)) throw unwritable('value', 'must be an object');
    return runInSlices(signal, function* (work): Steps<Outcome> {
      yield* checkedResult(root, work, MAX_XML);
      checkNames(root);
      if (work.spend(0)) yield;
      const builder = indent ? indented : plain;
      return output({ text: builder?.build(root) ?? '' });
    });
  },
});

function* read(text: string, work: Work): Steps<Outcome> {
  if (text.length > MAX_XML) throw invalid(`it has more than ${MAX_XML} characters`);
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw invalid('a document type is refused');
  if (hasManyMarks(text)) throw invalid(`it has more than ${MAX_MARKS} tags and attributes`);
  try {
    validator.validate(text);
    if (work.spend(text.length)) yield;
    const parsed: unknown = parser.parse(text);
    return output(isJsonObject(parsed) ? parsed : {});
  } catch (error) {
    throw invalid(types.isNativeError(error) ? error.message : String(error));
  }
}

function hasManyMarks(text: string): boolean {
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === TAG || code === ATTRIBUTE) marks += 1;
  }
  return marks > MAX_MARKS;
}

function invalid(reason: string): NodeError {
  return new NodeError('XML_INVALID', `the text is no XML that can be read: ${reason}`, { isRetryable: false });
}

/** @throws NodeError PARAMETERS_INVALID for a value that XML cannot express. */
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
