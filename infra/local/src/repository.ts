import { fileURLToPath } from 'node:url';

/** The repository's root: sources and compiled files have the same depth below it. */
export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
