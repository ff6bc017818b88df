/**
 * Tokens that may contain a semicolon which does not end a statement: comments, literals, quoted names and
 * dollar-quoted bodies. Nested comments and backslashes in E'...' are not supported.
 */
const PIECE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^;]/g;

/** Returns the statements of an SQL script, each without comments, surrounding blanks and its semicolon. */
export function splitStatements(script: string): string[] {
  const statements = [''];
  for (const [piece] of script.matchAll(PIECE)) {
    if (piece === ';') statements.push('');
    else statements.push((statements.pop() ?? '') + (/^(--|\/\*)/.test(piece) ? ' ' : piece));
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}
