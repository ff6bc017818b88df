// Generates a client, a function and types per operation, from an OpenAPI document:
//   node packages/sdk/generate.mjs [<document> <folder> <extension that imports have>]
// Without arguments, it is the core of this SDK, from docs/openapi.json.
import { createClient } from '@hey-api/openapi-ts';
import { fileURLToPath } from 'node:url';

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const [input = pathOf('../../docs/openapi.json'), path = pathOf('src/generated'), extension = '.ts'] =
  process.argv.slice(2);

await createClient({
  input,
  output: { path, module: { extension } },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  logs: { level: 'silent', file: false },
});
