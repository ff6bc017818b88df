import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError, type Outcome, output } from '@deckhand/engine';
import XMLBuilder from 'fast-xml-builder';
import { SyntaxValidator } from 'fast-xml-validator';
import { types } from 'node:util';
import Type from 'typebox';
import { createValidator } from 'xml-naming';
import {
  CharsetParameter,
  checkTextSource,
  FileNameParameter,
  FileParameter,
  fileSource,
  readText,
  saveText,
  TargetParameter,
} from '../files/file-source.ts';
import { checkedResult } from '../text/limit.ts';
import { MAX_XML_DEPTH, parseXml, XML_SHAPE } from '../text/xml-parser.ts';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';

/** Maximum length of a text to parse, in characters; a written text may be as long as JSON. */
const MAX_XML = 1_000_000;
/** Maximum number of tags and attributes of a text to parse: about 0.1 s, more if all of them are empty elements. */
const MAX_MARKS = 60_000;
const [TAG, ATTRIBUTE] = [0x3c, 0x3d];
const TEXT = XML_SHAPE.textNodeName;
const PREFIX = XML_SHAPE.attributeNamePrefix;
/** What no XML contains, in any notation (XML 1.0, 2.2); half surrogates are not characters either. */
// oxlint-disable-next-line no-control-regex -- these are the characters to find
const FORBIDDEN = /[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/;

/**
 * Readers take a carriage return for a line feed, and line feeds and tabs in attributes for spaces, unless they are
 * written as references. The library would escape these, so it gets characters that no XML contains.
 */
const [CARRIAGE_RETURN, LINE_FEED, TAB] = ['\x01', '\x02', '\x03'];

const validator = new SyntaxValidator();
const isName = createValidator('name');
const [plain, indented] = [false, true].map(
  (format) =>
    new XMLBuilder({
      ...XML_SHAPE,
      format,
      suppressEmptyNode: true,
      // An attribute without a value would be HTML.
      suppressBooleanAttributes: false,
      maxNestedTags: MAX_XML_DEPTH,
      tagValueProcessor: (_name, value) => markText(value),
      attributeValueProcessor: (_name, value) => markAttribute(value),
    }),
);

function markText(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\r', CARRIAGE_RETURN) : value;
}

function markAttribute(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replaceAll('\r', CARRIAGE_RETURN).replaceAll('\n', LINE_FEED).replaceAll('\t', TAB);
}

function unmarked(xml: string): string {
  return xml.replaceAll(CARRIAGE_RETURN, '&#13;').replaceAll(LINE_FEED, '&#10;').replaceAll(TAB, '&#9;');
}

export default defineNodeType({
  type: 'xml',
  title: 'XML',
  description:
    'Reads XML into an object, or writes it. An element becomes a member by its name, several of one name a list; attributes are members with an `@` before their name, and the text beside them is `#text`. Values are texts. White space around texts is left out, except within `xml:space="preserve"`. Document types and custom entities are refused. `parse` returns the object, `write` returns `{ text }`, or a file.',
  keywords: ['soap', 'rss', 'feed', 'parse'],
  category: 'data',
  icon: 'file-code',
  summary: '{operation}',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['parse', 'write'], { description: 'Whether to parse or to write' }),
      text: Type.Optional(
        Type.String({ description: 'For `parse`: at most 1,000,000 characters and 60,000 tags and attributes' }),
      ),
      file: Type.Optional(FileParameter('For `parse`, instead of `text`')),
      value: Type.Optional(
        Type.Unsafe<JsonValue>({
          description: 'For `write`: an object of at most 1,000,000 characters of JSON; by default the input',
        }),
      ),
      indent: Type.Optional(
        Type.Boolean({ default: false, description: 'For `write`: one element per line, for people to read' }),
      ),
      to: TargetParameter,
      fileName: FileNameParameter('document.xml'),
      charset: CharsetParameter,
    },
    { additionalProperties: false },
  ),
  form: {
    inputs: { value: 'expression', file: 'expression' },
    shownFor: {
      text: { operation: ['parse'] },
      file: { operation: ['parse'] },
      value: { operation: ['write'] },
      indent: { operation: ['write'] },
      to: { operation: ['write'] },
      fileName: { operation: ['write'] },
    },
  },
  check: checkTextSource,
  errors: [
    'FILE_NOT_FOUND',
    'FILE_TOO_LARGE',
    'MEMORY_EXCEEDED',
    'NODE_BUDGET',
    'RESULT_TOO_LARGE',
    'STORAGE_FULL',
    'TEXT_TOO_LARGE',
    'XML_INVALID',
  ],
  async run(parameters, { input, signal, files }) {
    const { operation, text, file, value, indent = false, charset } = parameters;
    if (operation === 'parse') {
      const document = text ?? (await readText(fileSource(file, files), charset));
      return runInSlices(signal, (work) => read(document, work));
    }
    const root = value ?? input;
    if (!isJsonObject(root)) throw unwritable('value', 'must be an object');
    const written = await runInSlices(signal, function* (work): Steps<string> {
      yield* checkedResult(root, work, MAX_XML);
      checkElement(root, 'value', 0);
      if (work.spend(0)) yield;
      const builder = indent ? indented : plain;
      return unmarked(builder?.build(root) ?? '');
    });
    if (parameters.to !== 'file') return output({ text: written });
    const { fileName: name = 'document.xml' } = parameters;
    return output(await saveText(files, written, { name, contentType: 'application/xml', charset }));
  },
  example: {
    trigger: { text: '<order id="17"><item>pen</item><item>ink</item></order>' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'xml', type: 'xml', parameters: { operation: 'parse', text: '{{ $trigger.text }}' } },
      ],
      edges: [{ source: 'start', target: 'xml' }],
    },
    outputs: { xml: { order: { '@id': '17', item: ['pen', 'ink'] } } },
  },
});

function* read(text: string, work: Work): Steps<Outcome> {
  if (text.length > MAX_XML) throw invalid(`it has more than ${MAX_XML} characters`);
  if (hasManyMarks(text)) throw invalid(`it has more than ${MAX_MARKS} tags and attributes`);
  try {
    validator.validate(text);
    if (work.spend(text.length)) yield;
    const parsed = parseXml(text);
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
  return new NodeError('XML_INVALID', `the text is not XML that can be read: ${reason}`, { isRetryable: false });
}

/** @throws NodeError PARAMETERS_INVALID for what XML cannot express. */
function checkElement(element: JsonObject, path: string, depth: number): void {
  if (depth > MAX_XML_DEPTH) throw unwritable(path, `is nested deeper than ${MAX_XML_DEPTH} levels`);
  for (const [name, member] of Object.entries(element)) {
    const place = `${path}.${name}`;
    if (name === TEXT) {
      checkText(member, place);
    } else if (name.startsWith(PREFIX)) {
      if (!isName(name.slice(PREFIX.length))) throw unwritable(place, 'is not a name of an element or attribute');
      if (depth === 0) throw unwritable(place, 'is an attribute, which needs an element around it');
      checkText(member, place);
    } else {
      if (!isName(name)) throw unwritable(place, 'is not a name of an element or attribute');
      checkContent(member, place, depth);
    }
  }
}

/** Checks the value of an element, or those of several with one name. */
function checkContent(value: JsonValue, path: string, depth: number): void {
  if (isJsonObject(value)) {
    checkElement(value, path, depth + 1);
  } else if (Array.isArray(value)) {
    const list: readonly JsonValue[] = value;
    for (const [index, element] of list.entries()) {
      if (Array.isArray(element)) throw unwritable(`${path}[${index}]`, 'is a list within a list');
      checkContent(element, `${path}[${index}]`, depth);
    }
  } else {
    checkText(value, path);
  }
}

function checkText(value: JsonValue, path: string): void {
  if (typeof value === 'object' && value !== null) throw unwritable(path, 'must be a text, a number or a boolean');
  if (typeof value !== 'string' || (value.isWellFormed() && !FORBIDDEN.test(value))) return;
  throw unwritable(path, 'has a character that XML cannot contain, such as a control character');
}

function unwritable(path: string, message: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.${path} ${message}`, { isRetryable: false });
}
