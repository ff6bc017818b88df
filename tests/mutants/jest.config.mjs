import { fileURLToPath } from 'node:url';
import config from '../../jest.config.js';

const TRANSFORM = fileURLToPath(new URL('transform.cjs', import.meta.url));

/** The project's configuration, with the transform that puts a mutant in. */
export default {
  ...config,
  // A mutant may make a test hang; by itself each ends well within this.
  testTimeout: 60_000,
  rootDir: fileURLToPath(new URL('../../', import.meta.url)),
  projects: config.projects.map((project) => ({
    ...project,
    transform: Object.fromEntries(
      Object.entries(project.transform).map(([pattern, [, options]]) => [pattern, [TRANSFORM, options]]),
    ),
  })),
};
