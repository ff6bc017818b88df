import type { Literal, TemplateLiteral } from 'acorn';
import { toText } from '../convert.ts';
import { spendText } from '../run.ts';
import { refuse, type Compiler, type Evaluate } from './compiler.ts';

/** Compiles a literal: text, number, boolean or null. Regular expressions are compiled by the call that uses them. */
export function compileLiteral(node: Literal): Evaluate {
  const { value } = node;
  if (node.regex) {
    return refuse(node, 'a regular expression is only allowed in a call such as text.match(/.../) or /.../.test(text)');
  }
  if (typeof value === 'bigint' || value instanceof RegExp || value === undefined) {
    return refuse(node, 'whole numbers with "n" are not part of the language');
  }
  return () => value;
}

/** Compiles a template literal. */
export function compileTemplateLiteral(compiler: Compiler, node: TemplateLiteral): Evaluate {
  const texts = node.quasis.map((quasi) => quasi.value.cooked ?? '');
  const values = node.expressions.map((expression) => compiler.compile(expression));
  const [first = ''] = texts;
  const textsLength = texts.reduce((sum, text) => sum + text.length, 0);
  return (run) => {
    let characters = textsLength;
    const made = values.map((value) => {
      const text = toText(run, value(run));
      characters += text.length;
      return text;
    });
    run.at = node.start;
    spendText(run, characters);
    return made.reduce((whole, text, index) => whole + text + (texts[index + 1] ?? ''), first);
  };
}
