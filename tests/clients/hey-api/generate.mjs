// Generates a client with @hey-api/openapi-ts: node generate.mjs <OpenAPI document> <folder>
import { createClient } from '@hey-api/openapi-ts';

const [input, path] = process.argv.slice(2);

await createClient({
  input,
  output: { path, module: { extension: '.js' } },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  logs: { level: 'silent', file: false },
});
