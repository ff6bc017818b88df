import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.ts';

/** A sentence of a page that names the test which proves it. */
export interface Claim {
  /** The test's file, from the top of the repository. */
  readonly file: string;
  /** A part of the test's title. `%s` and its like stand for values. */
  readonly title: string;
}

/** The tests of a file that ran and passed. */
export interface PassedTests {
  /** The path of the file. */
  readonly file: string;
  readonly names: readonly string[];
}

/** Reads the claims of a page: a file in backquotes, a colon, then one or more titles in double quotes. */
export function readClaims(page: string): Claim[] {
  return [...page.matchAll(/`([\w./-]+\.test\.tsx?)`: ((?:"[^"]+"(?:, )?)+)/g)].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
  );
}

/** Returns the claims on files that ran whose test is not among those that passed. */
export function findUnprovenClaims(claims: readonly Claim[], ran: readonly PassedTests[]): Claim[] {
  return claims.filter(({ file, title }) => {
    const tests = ran.find((other) => other.file.endsWith(`/${file}`));
    return tests !== undefined && !tests.names.some((name) => pattern(title).test(name));
  });
}

/** Returns what a title looks like with values in the place of `%s` and its like. */
function pattern(title: string): RegExp {
  const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(
    title
      .split(/%[a-z#]/)
      .map(literal)
      .join('.*'),
    's',
  );
}

/** Reads the claims of the page on security. */
export function readSecurityClaims(): Claim[] {
  return readClaims(readFileSync(join(REPOSITORY, 'docs', 'security.md'), 'utf8'));
}
