import { describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonical, checkDocument, folderPath, folderText, toSlug, withoutValuesOf } from './document.ts';
import { diffLines, inContext } from './line-diff.ts';
import { merge, readFiles, toYaml, writeFileOf } from './yaml-file.ts';

const FILE = `# yaml-language-server: $schema=./workflow.schema.json
# About refunds.
slug: refund
name: 'Refund' # for people

# Where it runs.
status: active
nodes:
  # The start.
  - id: start
    type: trigger.manual
  - { type: set, id: total } # in one line
  # The call.
  - id: call
    type: http
    parameters:
      # The partner.
      url: https://example.com
      secret: { $env: SECRET }
edges:
  - { source: start, target: total } # first
  - { source: total, target: call }
tests:
  - name: one # kept
`;

const node = (id: string, type: string, parameters?: object) => ({ id, type, ...(parameters && { parameters }) });
const CALL = node('call', 'http', { url: 'https://example.com', secret: '********' });
const [FIRST, SECOND] = [
  { source: 'start', target: 'total' },
  { source: 'total', target: 'call' },
];

function merged(document: Readonly<Record<string, unknown>>): string {
  const local = { slug: 'refund', name: 'Refund', tests: [{ name: 'one' }] };
  return merge({ path: 'refund.yaml', text: FILE, document: local }, { slug: 'refund', name: 'Refund', ...document });
}

describe('a file that is pulled', () => {
  it('stays as it is if nothing changed', () => {
    const nodes = [node('start', 'trigger.manual'), { type: 'set', id: 'total' }, CALL];
    expect(merged({ status: 'active', nodes, edges: [FIRST, SECOND] })).toBe(FILE);
  });

  it('keeps comments with what they are about, wherever that goes', () => {
    const call = node('call', 'http', { url: 'https://example.org', secret: '********', method: 'PUT' });
    const nodes = [call, node('new', 'set'), node('start', 'trigger.manual')];
    const text = merged({ status: 'inactive', folder: 'A', nodes, edges: [SECOND, FIRST] });
    expect(text).toBe(`# yaml-language-server: $schema=./workflow.schema.json
# About refunds.
slug: refund
name: 'Refund' # for people

# Where it runs.
status: inactive
folder: A
nodes:
  # The call.
  - id: call
    type: http
    parameters:
      # The partner.
      url: https://example.org
      secret: { $env: SECRET }
      method: PUT
  - id: new
    type: set
  # The start.
  - id: start
    type: trigger.manual
edges:
  - { source: total, target: call }
  - { source: start, target: total } # first
tests:
  - name: one # kept
`);
  });

  it('is written with edges and positions in a line each, and scripts as they are', () => {
    const code = {
      id: 'a',
      type: 'code',
      parameters: { source: 'const a = 1;\nreturn a;\n' },
      position: { x: 1, y: 2 },
    };
    expect(toYaml({ slug: 'a', name: 'true', nodes: [code, code], edges: [FIRST] })).toBe(`slug: a
name: "true"
nodes:
${`  - id: a
    type: code
    parameters:
      source: |
        const a = 1;
        return a;
    position: { x: 1, y: 2 }
`.repeat(2)}edges:
  - { source: start, target: total }
`);
  });

  it('keeps the notes of the canvas, in their canonical form', () => {
    const note = { position: { x: 1, y: 2 }, text: 'Ask Ada\nbefore *every* change\n', id: 'a', color: 'red' };
    const document = canonical({ slug: 'a', name: 'A', nodes: [], edges: [], notes: [note] });
    expect(toYaml(document)).toBe(`slug: a
name: A
status: draft
nodes: []
edges: []
notes:
  - id: a
    text: |
      Ask Ada
      before *every* change
    color: red
    position: { x: 1, y: 2 }
`);
    expect(canonical({ slug: 'a', name: 'A', nodes: [], notes: [] })).not.toHaveProperty('notes');
    expect(() => checkDocument({ slug: 'a', name: 'A', notes: [note] }, 'a.yaml')).toThrow('notes need nodes');
  });

  it.each([
    ['a: [', 'is not valid YAML'],
    ['a: 1\na: 2', 'is not valid YAML'],
    ['a: !thing 1', 'is not valid YAML'],
  ])('%j is refused', (text, message) => {
    const local = { path: 'a.yaml', text, document: { slug: 'a', name: 'A' } };
    expect(() => merge(local, { slug: 'a', name: 'A' })).toThrow(message);
  });

  it('has what its aliases stand for in their place, whatever goes', () => {
    const text =
      'slug: a\nname: A\nnodes:\n  - { id: a, parameters: &p { x: 1 } }\n  - { id: b, parameters: *p } # as a\n';
    const [a, b] = ['a', 'b'].map((id) => ({ id, parameters: { x: 1 } }));
    const local = { path: 'a.yaml', text, document: { slug: 'a', name: 'A', nodes: [a, b] } };
    const nodesOf = (nodes: readonly unknown[]) => merge(local, { slug: 'a', name: 'A', nodes }).split('nodes:\n')[1];
    expect(nodesOf([b])).toBe('  - { id: b, parameters: { x: 1 } } # as a\n');
    expect(nodesOf([b, { id: 'a', parameters: { x: 2 } }])).toBe(
      '  - { id: b, parameters: { x: 1 } } # as a\n  - { id: a, parameters: { x: 2 } }\n',
    );
  });

  it.each([
    ['that stand for themselves', '&x [*x]'],
    ['that are too many', `[&x [1], ${'*x, '.repeat(200)}]`],
  ])('is named in the error if it has aliases %s', async (_what, nodes) => {
    const folder = await mkdtemp(join(tmpdir(), 'deckhand-files-'));
    try {
      await writeFile(join(folder, 'a.yaml'), `slug: a\nname: A\nnodes: ${nodes}\n`);
      await expect(readFiles(folder)).rejects.toThrow(/a\.yaml cannot be read/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is never written over the file of another workflow', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'deckhand-files-'));
    try {
      const path = join(folder, 'old.yaml');
      await writeFile(path, 'slug: new\nname: New\ntests: [{ name: one }]\n');
      const files = await readFiles(folder);
      await expect(writeFileOf(folder, { slug: 'old', name: 'Old' }, files.get('old'))).rejects.toThrow(
        'old.yaml is the file of another workflow',
      );
      await writeFileOf(folder, { slug: 'new', name: 'Newer' }, files.get('new'));
      expect(await readFile(path, 'utf8')).toBe('slug: new\nname: Newer\ntests: [ { name: one } ]\n');
      expect(await readdir(folder)).toEqual(['old.yaml']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is never written outside of its folder', async () => {
    const document = { slug: '../../other', name: 'A' };
    await expect(writeFileOf('/nowhere', document, undefined)).rejects.toThrow('slug must');
  });
});

describe('a document', () => {
  it('is canonical regardless of the order and of defaults; the order of parameters counts', () => {
    const document = {
      name: 'A',
      slug: 'a',
      description: '',
      errorWorkflow: null,
      nodes: [{ type: 'set', position: { x: 0, y: 0 }, id: 'a', parameters: { b: 1, a: { $env: 'A' } } }],
    };
    expect(JSON.stringify(canonical(document))).toBe(
      '{"slug":"a","name":"A","status":"draft","nodes":[{"id":"a","type":"set","parameters":{"b":1,"a":"********"},"position":{"x":0,"y":0}}],"edges":[]}',
    );
  });

  it.each([
    [{ slug: 'a', name: 'A', nodse: [] }, 'nodse is not a member'],
    [{ slug: 'a--b', name: 'A' }, 'slug must'],
    [{ slug: 'a', name: '' }, 'name must'],
    [{ slug: 'a', name: 'A', nodes: {} }, 'nodes must be a list'],
    [{ slug: 'a', name: 'A', edges: [] }, 'edges need nodes'],
    [null, 'must have members'],
  ])('%j is refused', (value, message) => {
    expect(() => checkDocument(value, 'a.yaml')).toThrow(message);
  });

  it('of a workspace has no value that the file takes from the environment', () => {
    const of = (url: unknown) => {
      const nodes = [node('call', 'http', { url, method: 'PUT' }), node('other', 'http', { url: 'kept' })];
      return { slug: 'a', name: 'A', nodes };
    };
    const file = of({ $env: 'URL' });
    const remote = withoutValuesOf(file, of('hunter2'));
    expect(remote).toEqual(of('********'));
    expect(canonical(remote)).toEqual(canonical(file));
    for (const other of [undefined, of('hunter2')])
      expect(withoutValuesOf(other, of('hunter2'))).toEqual(of('hunter2'));
    const text = 'slug: a\nname: A\nnodes:\n  - { id: call, parameters: { url: { $env: URL } } } # call\n';
    expect(merge({ path: 'a.yaml', text, document: file }, remote)).toContain('url: { $env: URL }');
  });

  it('has folders as a path, or as a list if a name has a slash', () => {
    for (const path of [[], ['A'], ['A', 'B c'], ['A/B', 'C'], [' A']])
      expect(folderPath(folderText(path))).toEqual(path);
    expect(folderPath(' A / B ')).toEqual(['A', 'B']);
  });

  it.each([
    ['Refund order', 'refund-order'],
    ['  Größe (2) ', 'gro-e-2'],
    ['日本', 'workflow'],
    ['a'.repeat(99), 'a'.repeat(60)],
  ])('the slug of %j is %s', (name, slug) => {
    expect(toSlug(name)).toBe(slug);
  });
});

describe('a comparison of lines', () => {
  it('shows what changed, in its context', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].join('\n');
    const after = ['a', 'b', 'c', 'd', 'E', 'e', 'f', 'h'].join('\n');
    const shown = inContext(diffLines(before, after), 1).map(({ kind, text }) => `${kind} ${text}`);
    expect(shown).toEqual(['same d', 'added E', 'same e', 'same f', 'removed g', 'same h']);
    expect(diffLines('a', 'a')).toEqual([{ kind: 'same', text: 'a' }]);
  });

  it('of large texts shows one block, in bounded time', () => {
    const lines = (letter: string) => Array.from({ length: 3_000 }, (_, index) => `${letter}${index}`).join('\n');
    expect(diffLines(lines('a'), lines('b'))).toHaveLength(6_000);
  });
});
