// Generates src/generated, a function and types per operation, from docs/openapi.json: node packages/sdk/generate.mjs
import { createClient } from '@hey-api/openapi-ts';
import { fileURLToPath } from 'node:url';

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));

await createClient({
  input: pathOf('../../docs/openapi.json'),
  output: { path: pathOf('src/generated'), module: { extension: '.ts' } },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  logs: { level: 'silent', file: false },
});
