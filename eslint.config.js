import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import reactHooks from 'eslint-plugin-react-hooks';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const TESTS = ['**/*.test.{ts,tsx}', 'apps/console/src/testing/**', 'tests/**/*.ts'];

/** The environment is read once, where settings are (style 10); the rest gets what it needs passed in. */
const ENVIRONMENT_RULES = {
  'no-restricted-properties': [
    'error',
    { object: 'process', property: 'env', message: 'Read settings through @deckhand/runtime and pass them down.' },
  ],
};

/** What would make the engine depend on when or where it runs: time, randomness and effects are handed in. */
const ENGINE_GLOBALS = [
  'process',
  'Buffer',
  'fetch',
  'performance',
  'crypto',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
];

/** Texts of the console that are not translated. */
const UNTRANSLATED = [
  'JSXText[value=/[A-Za-z]{2}/]',
  'JSXAttribute[name.name=/^(label|title|placeholder|description|legend|empty|error|alt|aria-label)$/] > Literal[value=/[A-Z][a-z]/]',
  'CallExpression[callee.name=/^notify/] > :matches(Literal, TemplateLiteral)',
];

export default defineConfig(
  globalIgnores([
    '**/dist/',
    '**/node_modules/',
    '.deckhand/',
    'coverage/',
    'packages/*/src/generated/',
    'prisma/migrations/',
    // Needs a client that its test generates, and compiles it with that.
    'tests/clients/*/flows.ts',
  ]),
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: {
        // One project for all but the console: each package's own would read the same types of libraries again.
        project: ['tsconfig.lint.json', 'apps/console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // A method that is async by contract may have nothing to await.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Its successor, Error.isError, is missing in Node 22.
      '@typescript-eslint/no-deprecated': [
        'error',
        { allow: [{ from: 'package', package: 'node:util/types', name: 'isNativeError' }] },
      ],
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      ...ENVIRONMENT_RULES,
    },
  },
  {
    files: ['packages/engine/src/**/*.ts'],
    ignores: TESTS,
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['node:*'], message: 'The engine has no effects of its own: take a port.' }] },
      ],
      'no-restricted-globals': [
        'error',
        ...ENGINE_GLOBALS.map((name) => ({ name, message: 'The engine has no effects of its own: take a port.' })),
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'The clock is handed in.' },
        { object: 'Math', property: 'random', message: 'Randomness is handed in.' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'The clock is handed in.' },
        { selector: "CallExpression[callee.name='Date']", message: 'The clock is handed in.' },
      ],
    },
  },
  {
    files: ['packages/runtime/src/settings*', 'apps/cli/src/environment.ts', 'infra/**', 'bench/**', ...TESTS],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['infra/**', 'bench/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['apps/console/src/**'],
    extends: [reactHooks.configs.flat.recommended],
    rules: {
      // No compiler memoizes here, so there is nothing that virtual lists could break.
      'react-hooks/incompatible-library': 'off',
      // A click may start what nobody waits for: what it leads to is shown.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      'no-restricted-syntax': [
        'error',
        ...UNTRANSLATED.map((selector) => ({ selector, message: "Write i18n.t('…')." })),
      ],
    },
  },
  {
    files: ['packages/*/src/bin/**'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: TESTS,
    rules: {
      // Assertions on data of any shape read better without a guard per level.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      // An answer's body has the shape that the assertion on it says.
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        performance: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs', globals: { module: 'writable', require: 'readonly' } },
  },
  prettier,
  {
    // Prettier breaks code, and leaves comments as they are.
    rules: { 'max-len': ['error', { code: 10_000, comments: 120, ignorePattern: 'eslint-|https?://' }] },
  },
);
