import { fileURLToPath } from 'node:url';

/** The repository's root: the sources and what they compile to lie equally deep below it. */
export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
