/** A wrong option, argument or setting. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs a command. Results and progress go to the standard output, errors to the standard error, as one message without
 * a stack. The exit code is 0 on success, 1 on failure, and 2 if the command was called incorrectly and did nothing.
 * @param what the subject of "... failed: <message>".
 */
export async function runCommand(
  what: string,
  command: (print: (line: string) => void) => Promise<void>,
): Promise<void> {
  try {
    await command((line) => void process.stdout.write(`${line}\n`));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isMisused = isUsageError(error);
    process.stderr.write(isMisused ? `${message}\n` : `${what} failed: ${message}\n`);
    process.exitCode = isMisused ? 2 : 1;
  }
}

/** Returns true for the errors that `parseArgs` throws for wrong arguments. */
function isUsageError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof UsageError || ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'));
}

/**
 * Returns the URL of a PostgreSQL database. Its errors name the setting and say nothing of its value, which has a
 * password.
 * @throws UsageError when it is not set, or no such URL.
 */
export function requireDatabaseUrl(name: string, url: string | undefined): string {
  const example = `such as ${name}=postgresql://user@host/database`;
  if (url === undefined || url === '') throw new UsageError(`${name} is not set: name the database, ${example}`);
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(`${name} is not a URL of a PostgreSQL database, ${example}`);
  }
  return url;
}
