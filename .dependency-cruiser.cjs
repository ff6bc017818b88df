// Imports point one way: apps -> nodes, db, queue, runtime -> engine -> contracts (docs/architecture.md).

/** What each package may import of the others. */
const MAY_IMPORT = {
  contracts: [],
  engine: ['contracts'],
  nodes: ['connectors', 'engine', 'contracts', 'runtime'],
  runtime: ['contracts'],
  queue: ['contracts', 'engine', 'runtime'],
  db: ['contracts', 'engine', 'runtime'],
  outputs: ['contracts', 'db', 'runtime'],
  'import-n8n': ['connectors', 'contracts'],
  connectors: ['contracts'],
  sdk: [],
  terminal: [],
  testing: ['contracts', 'engine', 'nodes'],
};

/** Third-party packages of the packages that must stay pure. */
const MAY_INSTALL = {
  contracts: ['typebox', 'ajv', 'ajv-formats', 're2js'],
  engine: ['acorn', 're2js', 'typebox'],
  'import-n8n': ['acorn', 'acorn-walk'],
  connectors: ['yaml'],
};

/** Tests beside the source may use the harness, and more packages than what they test. */
const TEST = '(\\.test\\.tsx?$|^apps/console/src/testing/)';

/** A workspace package appears under its own folder, whichever way it was named. */
const folder = (name) => `^packages/${name}/`;

/** The language of expressions: pure, and so at home in a browser, too. */
const EXPRESSIONS = '^packages/engine/src/expressions/';

const packageRules = Object.entries(MAY_IMPORT).map(([name, allowed]) => ({
  name: `${name}-imports`,
  comment: `packages/${name} may import ${allowed.length > 0 ? allowed.join(', ') : 'no other package'}.`,
  severity: 'error',
  from: { path: folder(name), pathNot: TEST },
  to: { path: '^(packages|apps)/', pathNot: [folder(name), ...allowed.map(folder)] },
}));

const purityRules = Object.entries(MAY_INSTALL).map(([name, allowed]) => ({
  name: `${name}-stays-pure`,
  comment: `packages/${name} uses ${allowed.join(', ')} and nothing else from outside.`,
  severity: 'error',
  from: { path: folder(name), pathNot: TEST },
  to: { path: 'node_modules/', pathNot: allowed.map((dependency) => `node_modules/${dependency}/`) },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or three.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'apps-stay-apart',
      comment: 'An app never imports another app.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: TEST },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'console-knows-the-contract-only',
      comment:
        'The console speaks the public API: of the other packages it has contracts, and the language of expressions.',
      severity: 'error',
      from: { path: '^apps/console/', pathNot: TEST },
      to: { path: '^packages/', pathNot: [folder('contracts'), EXPRESSIONS] },
    },
    {
      name: 'cli-knows-the-sdk-only',
      comment:
        'The command line speaks the public API, through the client that everybody has; tests of workflows need none.',
      severity: 'error',
      from: { path: '^apps/cli/', pathNot: TEST },
      to: { path: '^packages/', pathNot: [folder('sdk'), folder('terminal'), folder('testing')] },
    },
    {
      name: 'console-tries-expressions-on-demand',
      comment:
        'Only the part of the console that is loaded on demand has the language of expressions and the code editor.',
      severity: 'error',
      from: { path: '^apps/console/', pathNot: ['^apps/console/src/code/', TEST] },
      to: { path: [EXPRESSIONS, 'node_modules/@codemirror/'] },
    },
    {
      name: 'code-editor-is-loaded-on-demand',
      comment: 'Otherwise it would be part of what every visit loads.',
      severity: 'error',
      from: { path: '^apps/console/', pathNot: '^apps/console/src/code/' },
      to: { path: '^apps/console/src/code/', pathNot: '^apps/console/src/code/load\\.ts$' },
    },
    {
      name: 'console-features-build-on-the-rest',
      comment: 'What features share knows none of them.',
      severity: 'error',
      from: { path: '^apps/console/src/(api|code|components|forms|graph|language|session)/', pathNot: TEST },
      to: { path: '^apps/console/src/features/' },
    },
    {
      name: 'console-editor-model-needs-no-page',
      comment: 'The model of the editor, and what saves it, are tested without a browser.',
      severity: 'error',
      from: {
        path: '^apps/console/src/features/editor/(model/.*|saving/(version-saver|draft-sync|draft-writer)|canvas/canvas-gestures)\\.ts$',
        pathNot: TEST,
      },
      to: {
        path: 'node_modules/(react|react-dom|@mantine|@tanstack|@xyflow)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'engine-has-no-effects',
      comment: 'What the engine needs of the world comes in through its ports.',
      severity: 'error',
      from: { path: folder('engine'), pathNot: TEST },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'product-needs-no-tooling',
      comment: 'Only infra, tests and bench import infra, tests or bench.',
      severity: 'error',
      from: { path: '^(packages|apps)/', pathNot: TEST },
      to: { path: '^(infra|tests|bench)/' },
    },
    {
      name: 'no-tests-in-the-product',
      comment: 'Nothing that ships imports a test.',
      severity: 'error',
      from: { pathNot: [TEST, '^tests/'] },
      to: { path: [TEST, '^tests/'] },
    },
    {
      name: 'resolvable',
      comment: 'Every import leads somewhere; the clients of these programs are generated by their tests.',
      severity: 'error',
      from: { pathNot: '^tests/clients/' },
      to: { couldNotResolve: true },
    },
    ...packageRules,
    ...purityRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/src/generated/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'default'],
      extensions: ['.ts', '.tsx', '.d.ts', '.js', '.mjs', '.cjs'],
    },
  },
};
