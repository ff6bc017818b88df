import { COMMON_HTML, CURRENCY, EntityDecoder } from '@nodable/entities';
import { type EntityDecoderOptions, type MatcherView, XMLParser, type X2jOptions } from 'fast-xml-parser';

/** How elements, attributes and texts become members, for reading and writing. */
export const XML_SHAPE = { ignoreAttributes: false, attributeNamePrefix: '@', textNodeName: '#text' } as const;

/** Maximum depth of nested elements. */
export const MAX_XML_DEPTH = 200;

/** Names of elements that the library refuses because careless code could mistake them for inherited members. */
const RESERVED = new Set(['constructor', 'prototype']);
/** Marks such a name while the library reads it. No XML contains this character. */
const MARK = '\0';
/** Encloses a text without the white space around it. No XML contains this character. */
const EDGE = '\uFFFE';

/**
 * Parses XML that is well-formed. White space around texts is left out, unless it is written as references or within
 * an element with `xml:space="preserve"`. Values of attributes are kept as they are.
 * @throws Error for a document type, an element `__proto__`, and too many nested elements.
 */
export function parseXml(text: string): unknown {
  if (text.includes(EDGE)) throw new Error('the character U+FFFE is not allowed');
  return createParser().parse(text);
}

function createParser(): XMLParser {
  /** For the element that is open at each depth: whether its white space is kept. */
  const preserves = [false];
  const options: X2jOptions = {
    ...XML_SHAPE,
    parseTagValue: false,
    parseAttributeValue: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    maxNestedTags: MAX_XML_DEPTH,
    trimValues: false,
    entityDecoder: createDecoder(),
    jPath: false,
    onDangerousProperty: (name) => name,
    transformTagName: (name) => (RESERVED.has(name) ? MARK + name : name),
    updateTag(name, path, attributes) {
      const space: unknown = attributes['@xml:space'];
      const depth = depthOf(path);
      preserves[depth] = space === 'preserve' || (space !== 'default' && preserves[depth - 1] === true);
      return name.startsWith(MARK) ? name.slice(MARK.length) : name;
    },
    tagValueProcessor(_name, value, path) {
      const [leading = '', inner, trailing = ''] = value.split(EDGE);
      // What needed no edges has no white space around it, or is of a CDATA section.
      if (inner === undefined) return value;
      return preserves[depthOf(path)] === true ? leading + inner + trailing : inner;
    },
    attributeValueProcessor: (_name, value) => value.replaceAll(EDGE, ''),
  };
  return new XMLParser(options);
}

/** Decodes character references and the names of HTML. */
function createDecoder(): EntityDecoderOptions {
  const decoder = new EntityDecoder({ namedEntities: { ...COMMON_HTML, ...CURRENCY }, numericAllowed: true });
  return {
    setExternalEntities: () => undefined,
    addInputEntities() {
      throw new Error('a document type is refused');
    },
    reset: () => undefined,
    setXmlVersion(version) {
      decoder.setXmlVersion(version);
    },
    decode(text) {
      let from = 0;
      let to = text.length;
      while (from < to && isSpace(text.charCodeAt(from))) from += 1;
      while (from < to && isSpace(text.charCodeAt(to - 1))) to -= 1;
      if (from === 0 && to === text.length) return decoder.decode(text);
      // White space that is written as references belongs to the text, so it has to be told apart now.
      return text.slice(0, from) + EDGE + decoder.decode(text.slice(from, to)) + EDGE + text.slice(to);
    },
  };
}

/** The white space of XML. Other spaces, such as the no-break space, are text. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d;
}

/** The library passes a path as an object because of the option `jPath`. */
function depthOf(path: string | MatcherView): number {
  return typeof path === 'string' ? 0 : path.getDepth();
}
