import { CircleAlert } from 'lucide-react';
import { ApiError } from '../api/api-error.ts';
import { adviceOn } from './advice.ts';
import classes from './problem.module.css';

/**
 * An error message beside the failed part; nothing without an error.
 * @param advice in place of the general one for such errors.
 */
export function Problem({ error, advice: ownAdvice }: { error: unknown; advice?: string | undefined }) {
  if (error === null || error === undefined) return null;
  const { message, advice: general } = adviceOn(error);
  const advice = ownAdvice ?? general;
  const issues = error instanceof ApiError ? error.issues : [];
  return (
    <div className={classes.problem} role="alert">
      <CircleAlert size={18} aria-hidden />
      <div>
        <strong>{message}</strong>
        {issues.length > 1 ? (
          <ul>
            {issues.slice(0, 20).map(({ path, message: issue }) => (
              <li key={`${path} ${issue}`}>
                {path}: {issue}
              </li>
            ))}
          </ul>
        ) : (
          advice !== '' && <p>{advice}</p>
        )}
      </div>
    </div>
  );
}
