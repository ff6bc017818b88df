import { type ExecutionMode, MAX_ISSUES } from '@deckhand/contracts';
import type { ResultChecker } from '@deckhand/engine';
import { pathWithin } from './input-checker.ts';
import type { SchemaChecker } from './schema-checker.ts';

/** Modes of runs whose results are checked: those in which people try a workflow. Other runs pay nothing for it. */
const CHECKED_MODES: readonly ExecutionMode[] = ['test', 'debug'];

/**
 * Creates a checker of results, on the thread of `schemas`.
 * @param isChecked decides by the mode of a run.
 */
export function createResultChecker(
  schemas: SchemaChecker,
  isChecked = (mode: ExecutionMode): boolean => CHECKED_MODES.includes(mode),
): ResultChecker {
  return {
    async check({ workspaceId, mode, schema, body }) {
      if (mode !== undefined && !isChecked(mode)) return undefined;
      const { issues } = await schemas.check(workspaceId, { details: JSON.stringify({ schema }), data: body });
      if (issues.length === 0) return undefined;
      if (body === undefined) return issues.map(({ message }) => message).join('; ');
      return issues
        .slice(0, MAX_ISSUES)
        .map(({ path, message }) => `${pathWithin('body', path)} ${message}`)
        .join('; ');
    },
  };
}
