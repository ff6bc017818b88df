import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { parser as javascript } from '@lezer/javascript';
import { parser as json } from '@lezer/json';
import { parser as yaml } from '@lezer/yaml';

const PARSERS = new Map([
  ['json', json],
  ['yaml', yaml],
  ['js', javascript],
  ['ts', javascript.configure({ dialect: 'ts' })],
]);

/** The classes, which docs.css gives their colors. */
const highlighter = tagHighlighter([
  { tag: tags.comment, class: 'comment' },
  { tag: [tags.string, tags.regexp], class: 'string' },
  { tag: [tags.number, tags.bool, tags.null], class: 'literal' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: 'name' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.definitionKeyword, tags.modifier], class: 'keyword' },
]);

/**
 * Returns code as HTML, with a class for each kind of text. What is not valid, such as an ellipsis, stays text.
 * @param language as a fence of Markdown names it; code in any other is text only. A message of `http` may have JSON.
 */
export function highlight(code: string, language: string): string {
  if (language === 'http') {
    const at = code.search(/\n\n[[{]/);
    return at === -1 ? escapeHtml(code) : escapeHtml(code.slice(0, at)) + highlight(code.slice(at), 'json');
  }
  const parser = PARSERS.get(language);
  if (!parser) return escapeHtml(code);
  const parts: string[] = [];
  const addText = (text: string, classes: string): void => {
    const html = withExpressions(escapeHtml(text));
    parts.push(classes === '' ? html : `<span class="${classes}">${html}</span>`);
  };
  highlightCode(code, parser.parse(code), highlighter, addText, () => parts.push('\n'));
  return parts.join('');
}

/** Marks the expressions in a text. */
function withExpressions(html: string): string {
  return html.replaceAll(/\{\{.*?\}\}/g, '<span class="expression">$&</span>');
}

/** Returns a text as HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
