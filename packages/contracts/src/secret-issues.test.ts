import { expect, it } from '@jest/globals';
import { secretIssues } from './schemas/credentials.ts';

it.each([
  [{}, []],
  [{ endpoint: 'https://store.test', pathStyle: false }, []],
  [{ endpoint: 'http://10.0.0.1:9000' }, []],
  [{ endpoint: 'http://10.0.0.1:9000', pathStyle: true }, []],
  [{ endpoint: 'http://10.0.0.1:9000', pathStyle: false }, ['secret.pathStyle']],
  [{ endpoint: 'http://[::1]', pathStyle: false }, ['secret.pathStyle']],
  [{ endpoint: 'http://0x7f.1', pathStyle: false }, ['secret.pathStyle']],
  [{ endpoint: 'http://[' }, ['secret.endpoint']],
])('a secret for S3 with %j has issues at %j', (more, expected) => {
  const secret = { accessKeyId: 'key', secretAccessKey: 'secret', ...more };
  expect(secretIssues('s3', secret).map(({ path }) => path)).toEqual(expected);
});
