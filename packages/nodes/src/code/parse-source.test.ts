import { describe, expect, it } from '@jest/globals';
import { findReferences } from './find-references.ts';
import { parseSource } from './parse-source.ts';

describe('parsing a source', () => {
  it.each([
    ['return 1'],
    ['const a = 1 // a comment at its end'],
    ['return `{{ ${$input.a} }}`'],
    ['const { a } = await Promise.resolve($input);\nreturn a'],
    ['function f() { return 1 }\nreturn f()'],
    [''],
  ])('finds no issue in %j', (source) => {
    expect(parseSource(source)).not.toHaveProperty('issue');
  });

  it.each([
    ['return (1;', 'not JavaScript: unexpected token (line 1, column 10)'],
    ['const a = 1;\n  const a = 2;', "not JavaScript: identifier 'a' has already been declared (line 2, column 9)"],
    ['import fs from "fs"', "'import' and 'export' may only appear at the top level"],
    ['const fs = 1;\nreturn await import("fs")', 'a script cannot import anything (line 2, column 14)'],
    ['if ($input.a) {', 'line 2'],
    ['return 1 }', 'unexpected token'],
    ['}); process.exit(); (function () {', 'this closes more than the script opened (line 1, column 1)'],
    ['}, process, function () {', 'this closes more than the script opened (line 1, column 1)'],
    ['})(); (function () {', 'this closes more than the script opened (line 1, column 1)'],
    ['} + function () {', 'this closes more than the script opened (line 1, column 1)'],
    ['with ($input) { return a }', "'with' in strict mode"],
    ['return 017', 'line 1'],
  ])('names the place of what is wrong in %j', (source, issue) => {
    expect(parseSource(source)).toEqual({ issue: expect.stringContaining(issue) });
  });

  it('says that a source nests too deeply', () => {
    expect(parseSource('('.repeat(50_000))).toEqual({ issue: 'the script nests too deeply' });
  });
});

describe('what a source reads', () => {
  it.each([
    ['return $input.a + $trigger.b', ['$input', '$trigger'], [], false],
    ['return { $input: 1, b: a.$vars, "$now": 2 }', [], [], false],
    ['const { $vars: v } = a; return { $loop }', ['$loop'], [], false],
    ['return "$input"', [], [], false],
    ['return `${$vars.a}`', ['$vars'], [], false],
    ['return $nodes.a.output + $nodes["b-c"].output', [], ['a', 'b-c'], false],
    ['return $nodes?.a?.output', [], ['a'], false],
    ['return $nodes[$input.id].output + $nodes.a.output', ['$input'], ['a'], true],
    ['return Object.keys($nodes)', [], [], true],
    ['return [$nodes].map((n) => n.a)', [], [], true],
    ['return (', [], [], false],
  ])('%s', (source, names, nodes, readsAnyNode) => {
    const references = findReferences(source);
    expect({ ...references, names: [...references.names].sort() }).toEqual({ names, nodes, readsAnyNode });
  });
});
